"""What a lab may lack: one module for each kind of file."""
