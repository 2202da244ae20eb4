# Compiler flags that every room shares.
add_library(meniscus_options INTERFACE)
target_include_directories(meniscus_options INTERFACE ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src)
target_compile_definitions(meniscus_options INTERFACE _GNU_SOURCE MENISCUS_BUILDING)
# Same bits everywhere: no contraction behind our back (fused multiply-adds are written out), no fast-math.
target_compile_options(meniscus_options INTERFACE -ffp-contract=off -fno-math-errno -fno-trapping-math
  -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wvla -Wno-unused-parameter
  $<$<C_COMPILER_ID:GNU>:-Wdouble-promotion>) # gcc: float arithmetic that slips into double; clang means every assignment
if(MENISCUS_WERROR)
  target_compile_options(meniscus_options INTERFACE -Werror)
endif()

include(CheckCSourceRuns)
set(MENISCUS_AVX2_FLAGS -mavx2 -mfma -mf16c)
if(MENISCUS_SIMD STREQUAL "auto")
  set(CMAKE_REQUIRED_FLAGS "-mavx2 -mfma -mf16c")
  check_c_source_runs("
    #include <immintrin.h>
    int main(void) { __builtin_cpu_init();
      return !(__builtin_cpu_supports(\"avx2\") && __builtin_cpu_supports(\"fma\") && __builtin_cpu_supports(\"f16c\") &&
               __builtin_cpu_supports(\"bmi2\")); }"
    MENISCUS_HAVE_AVX2)
  unset(CMAKE_REQUIRED_FLAGS)
endif()
if(MENISCUS_SIMD STREQUAL "avx2" OR (MENISCUS_SIMD STREQUAL "auto" AND MENISCUS_HAVE_AVX2))
  target_compile_options(meniscus_options INTERFACE ${MENISCUS_AVX2_FLAGS})
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
