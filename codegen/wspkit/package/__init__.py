"""The npm package: its folder (`wsp stage`) and its archive, checked (`wsp pack`)."""
