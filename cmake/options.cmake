# Compiler flags that every room shares.
add_library(meniscus_options INTERFACE)
target_include_directories(meniscus_options INTERFACE ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src)
target_compile_definitions(meniscus_options INTERFACE _GNU_SOURCE MENISCUS_BUILDING)
# Same bits everywhere: no contraction behind our back (fused multiply-adds are written out), no fast-math.
target_compile_options(meniscus_options INTERFACE -ffp-contract=off -fno-math-errno -fno-trapping-math
  -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wvla -Wno-unused-parameter
  $<$<C_COMPILER_ID:GNU>:-Wdouble-promotion>) # gcc: float arithmetic that slips into double; clang means every assignment
# gcc 12 and later make a fused multiply-add of straight code when they vectorise it, whatever -ffp-contract says: {a b - c d, a b + c d}
# as in a product of quaternions becomes vfmaddsub. So gcc vectorises loops only; tests/project/test_fused.sh looks at what comes out.
target_compile_options(meniscus_options INTERFACE $<$<C_COMPILER_ID:GNU>:-fno-tree-slp-vectorize>)
if(MENISCUS_WERROR)
  target_compile_options(meniscus_options INTERFACE -Werror)
endif()

# Vector instructions: the best that this machine has, unless told otherwise. All give the same bits (src/base/simd.h). AVX-512 is for
# the rooms that go through neighbours (hot_rooms), and only where the code asks for it: the compiler's own vectors stay at 256 bits,
# wider ones slow the clock for what little it finds. (gcc 12 with AVX-512 also makes wrong vectors of straight code, {s, 0, s, 0} loses its
# third number: one more reason for the flag above.)
include(CheckCSourceRuns)
set(avx2 -mavx2 -mfma -mf16c)
set(avx512 -mavx512f -mavx512vl -mavx512bw -mavx512dq -mprfchw -mprefer-vector-width=256)
set(hot_rooms particles boundary fluid coupling flip)
function(runs_here flags features out)
  string(REPLACE ";" " " CMAKE_REQUIRED_FLAGS "${flags}")
  string(REGEX REPLACE "([a-z0-9]+)" "__builtin_cpu_supports(\"\\1\")" calls "${features}")
  string(REPLACE ";" " && " calls "${calls}")
  check_c_source_runs("
    #include <immintrin.h>
    int main(void) { __builtin_cpu_init(); return !(${calls}); }"
    ${out})
endfunction()
set(simd ${MENISCUS_SIMD})
if(simd STREQUAL "auto")
  runs_here("${avx2};${avx512}" "avx2;fma;bmi2;avx512f;avx512vl;avx512bw;avx512dq" MENISCUS_HAVE_AVX512)
  runs_here("${avx2}" "avx2;fma;bmi2" MENISCUS_HAVE_AVX2)
  if(MENISCUS_HAVE_AVX512)
    set(simd avx512)
  elseif(MENISCUS_HAVE_AVX2)
    set(simd avx2)
  else()
    set(simd scalar)
  endif()
endif()
# gcc 12 with AVX-512 makes {a, a, 0, 0} in a block of 32 bytes, as a quaternion that is passed by value, {a, a, a, a}: it takes
# such a constant for a broadcast. Blocks of 16 bytes, what it uses with AVX2, are right.
include(CheckCCompilerFlag)
check_c_compiler_flag("-mmove-max=128 -mstore-max=128" MENISCUS_HAVE_MOVE_MAX)
if(MENISCUS_HAVE_MOVE_MAX)
  list(APPEND avx512 -mmove-max=128 -mstore-max=128)
endif()
if(simd STREQUAL "avx512" OR simd STREQUAL "avx2")
  target_compile_options(meniscus_options INTERFACE ${avx2})
else()
  target_compile_definitions(meniscus_options INTERFACE MENISCUS_SCALAR)
endif()

# A finding of a sanitizer ends the program, so that a test that meets one fails.
if(MENISCUS_SANITIZE)
  set(sanitize -fsanitize=${MENISCUS_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_compile_options(meniscus_options INTERFACE ${sanitize})
  string(REPLACE "fuzzer-no-link," "" at_link "${sanitize}") # the fuzz targets alone get libFuzzer's main()
  target_link_options(meniscus_options INTERFACE ${at_link})
endif()
