"""What is a text worth? Metrics against a reference, rules for the form, evidence from the change.

The package is also the public function `gitnotes.grade(message, diff=..., reference=...)`:
importing a submodule binds the name `gitnotes.grade` to this package, so the package has to
answer the call itself.
"""

import sys

from gitnotes import _CallableRoom

sys.modules[__name__].__class__ = _CallableRoom
