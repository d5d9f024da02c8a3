#!/bin/sh
# Installs gitnotes into an environment of its own, beside whatever Python the job uses.
set -eu
version=${GITNOTES_INPUT_VERSION-}
case $version in
    *[!0-9A-Za-z.+!]*)
        echo '::error title=gitnotes::The input `version` is a version such as 0.1.0.'
        exit 2
        ;;
esac
if [ -n "$version" ]; then
    set -- "gitnotes==$version"
else
    set -- "$GITNOTES_HOME"
fi
# The checkout may be a pull request, whose files must not be imported.
cd "$RUNNER_TEMP"
python3 -m venv gitnotes
gitnotes/bin/python -I -m pip install --quiet --disable-pip-version-check "$@"
