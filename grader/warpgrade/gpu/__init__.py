"""GPU data sheets, the GPUs of this machine, their state, occupancy."""
