"""How does text get back without losing anything? Message files, changelogs, hooks."""
