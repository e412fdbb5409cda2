// Integer functions with all kinds of control flow. Compiled twice, for the device and for the host, which
// says what each thread must get.
#pragma once

#ifdef __CUDACC__
#define BOTH __host__ __device__
#define BOTH_CALLED __host__ __device__ __noinline__
#else
#define BOTH inline
#define BOTH_CALLED inline
#endif

namespace paths {

// Loops of different lengths, one inside the other, left early and turned early.
BOTH int nested(int t, int n) {
  int sum = 0;
  for (int i = 0; i < t % 7 + n; ++i) {
    if (i % 3 == t % 3) continue;
    for (int j = i; j < 20; ++j) {
      if ((i * j + t) % 11 == 0) break;
      if (j % 4 == t % 4) continue;
      sum = sum * 3 + j - i;
      if (sum > 100000) return sum % 1000 + j;
    }
    sum ^= i;
  }
  return sum;
}

BOTH int choices(int t, int n) {
  int value = n;
  for (int i = 0; i < 5; ++i) {
    switch ((t + i * 3) % 9) {
      case 0:
        value += 3;
        break;
      case 1:
        value *= 7;
        [[fallthrough]];
      case 2:
        value -= 9;
        break;
      case 3:
        value ^= 5;
        break;
      case 4:
        value = value % 1000 + 8;
        break;
      case 5:
        if (value & 1) return value;
        value /= 2;
        break;
      case 6:
        i += t & 1;
        break;
      case 7:
        value = -value;
        break;
      default:
        value += t;
    }
  }
  return value;
}

// No structured program: states that jump to one another.
BOTH int jumps(int t, int n) {
  int value = t, left = 40 + n;
even:
  if (--left < 0) goto done;
  value += 7;
  if (value % 3 == 0) goto third;
  if (value % 2 == 0) goto even;
odd:
  if (--left < 0) goto done;
  value = value * 5 + 1;
  if (value > 5000 || value < -5000) value %= 777;
  if (value % 5 == 2) goto even;
third:
  if (--left < 0) goto done;
  value -= 11;
  if (value < 0) goto odd;
  if (value % 7 != 1) goto even;
done:
  return value * 100 + left;
}

BOTH int short_circuit(int t, int n) {
  int hits = 0;
  for (int i = 0; i < 30; ++i) {
    if ((t > i && i % 5 != 0) || (t * i % 7 == n % 7 && !(i & 4)))
      hits += i;
    else if (t == i)
      break;
    hits = (i % 2 && t % 2) ? hits + 1 : hits - (t > 16 ? 2 : 3);
  }
  return hits;
}

BOTH_CALLED int fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }

BOTH_CALLED int odd_steps(int n, int depth);
BOTH_CALLED int even_steps(int n, int depth) {
  if (n <= 1 || depth > 30) return depth;
  return n % 2 ? odd_steps(n, depth) : even_steps(n / 2, depth + 1);
}
BOTH_CALLED int odd_steps(int n, int depth) {
  return n % 2 ? even_steps(n * 3 + 1, depth + 1) : even_steps(n, depth);
}

struct Record {
  int word[5];
  double weight;
  char tag[3];
};
BOTH_CALLED Record change(Record r, int k) {
  r.word[(k & 0x7fffffff) % 5] += k;
  r.weight *= 1.5;
  r.tag[(k & 0x7fffffff) % 3] = static_cast<char>('a' + k % 26);
  return r;
}
BOTH int records(int t, int n) {
  Record r;
  for (int i = 0; i < 5; ++i) r.word[i] = t * i;
  r.weight = t;
  for (int i = 0; i < 3; ++i) r.tag[i] = 'z';
  for (int i = 0; i < t % 4 + 1; ++i) r = change(r, t + i * n);
  return r.word[t % 5] * 17 + static_cast<int>(r.weight) + r.tag[t % 3] * 1000 + r.tag[(t + 1) % 3];
}

BOTH_CALLED int twice(int x) { return 2 * x; }
BOTH_CALLED int thrice(int x) { return 3 * x + 1; }
BOTH_CALLED int minus(int x) { return x % 2 ? -x : fibonacci(x & 7); }

constexpr int kPaths = 6;
BOTH int take(int which, int t, int n) {
  switch (which) {
    case 0:
      return nested(t, n);
    case 1:
      return choices(t, n);
    case 2:
      return jumps(t, n);
    case 3:
      return short_circuit(t, n);
    case 4:
      return fibonacci(t % 9) + even_steps(t + 1, 0) * 1000;
    default:
      return records(t, n);
  }
}

}  // namespace paths
