"""consent: to which servers may changes of this repository go?"""

from __future__ import annotations

from typing import Annotated

import typer


def consent(
    context: typer.Context,
    host: Annotated[
        str | None, typer.Argument(metavar="[HOST]", help="The server, as host or address; none lists them.")
    ] = None,
    revoke: Annotated[bool, typer.Option("--revoke", help="Take the consent back.")] = False,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Say which servers may be sent changes of this repository.

    Nothing leaves this machine without it. What is sent has its secrets masked. The answer is kept
    in this repository's .git/config alone; a program may be given GITNOTES_CONSENT instead.

    Examples: gitnotes consent; gitnotes consent api.openai.com; gitnotes consent --revoke api.openai.com
    """
    from gitnotes.errors import UsageError
    from gitnotes.guard.text import show
    from gitnotes.read.git import open_git
    from gitnotes.recipes import models
    from gitnotes.show import console

    git = open_git(context.obj.folder)
    changed = False
    if host is not None:
        changed = models.revoke_consent(git, host) if revoke else models.grant_consent(git, host)
    elif revoke:
        raise UsageError("Whose consent is to be taken back?", "Name the host.")
    hosts = models.list_consents(git)
    if json:
        import json as encoder

        from gitnotes.codec import SCHEMA

        console.write(
            encoder.dumps({"schema": SCHEMA, "kind": "consent", "hosts": hosts, "changed": changed})
        )
        return
    if host is not None:
        console.write("Done." if changed else "Nothing to do.")
    console.write("\n".join(f"Changes may go to {show(name)}." for name in hosts) or "Changes go nowhere.")
