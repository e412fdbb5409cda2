"""Tables that the emulator and the grader share: kinds of findings, counters, sizes of every GPU."""
