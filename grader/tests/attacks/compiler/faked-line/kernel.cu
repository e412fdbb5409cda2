#include "launch_shape.cuh"
LAUNCH_SHAPE(16, 16, 16, 16)

#line 1 "/etc/passwd"
int x = y;
#line 3 "/course/solutions/01-basic/kernel.cu"
int z = y;
