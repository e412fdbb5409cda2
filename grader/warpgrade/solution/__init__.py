"""A solution's text: its markers, the skeleton that is cut from it, planted bugs."""
