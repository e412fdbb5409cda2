"""The cause of a finding or of a wrong answer, and the advice that follows: a room for each kind of finding.
Here is what several of them read, and the advice for threads that wait.
"""
