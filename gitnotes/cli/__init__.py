"""What can a person type? One file a group of verbs: parse, call a recipe, show the result."""
