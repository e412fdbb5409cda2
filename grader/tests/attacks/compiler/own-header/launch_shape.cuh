#error mine is used
