// Everything a Metal program may use. The words of the language come last: the headers are C++.
#pragma once
#include "abi.h"
#include "scalar.h"
#include "vector.h"
#include "matrix.h"
#include "math.h"
#include "sync.h"
#include "simd.h"
#include "atomic.h"
#include "simdgroup_matrix.h"
#include "entry.h"

#define kernel static __attribute__((noinline))
#define device
#define constant const
#define threadgroup
#define thread
#define threadgroup_imageblock
#define ray_data
