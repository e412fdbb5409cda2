"""From a submission to a fat binary and diagnostics; reads PTX, cubin and SASS."""
