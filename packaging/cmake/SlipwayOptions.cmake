# Options of the whole build. AUTO is "if found"; ON stops when something is missing. The configure step ends with a summary.
foreach(part "GUI;the window (Qt 6 Widgets and Charts)" "TRAINER;slipway-trainer (libtorch 2.11)"
             "CLI;slipway, the command line and the rooms of core behind it" "TESTS;the test programs (Qt 6 Test)"
             "CUDA;slipway-trainer with CUDA and NCCL (needs libtorch and everything that libtorch_cuda loads)")
  list(POP_FRONT part name)
  set(SLIPWAY_${name} AUTO CACHE STRING "Build ${part}: AUTO, ON or OFF")
  set_property(CACHE SLIPWAY_${name} PROPERTY STRINGS AUTO ON OFF)
endforeach()
option(SLIPWAY_WERROR "Warnings are errors" OFF)
option(SLIPWAY_BENCHMARKS "Build benchmarks/ (Google Benchmark)" OFF)
option(SLIPWAY_FUZZ "Build tests/fuzz (libFuzzer, clang)" OFF)
set(SLIPWAY_SANITIZE "" CACHE STRING "Sanitizers: address,undefined or thread")
set(SLIPWAY_HEADERS_DIR "" CACHE PATH "Folder with the header-only libraries (nlohmann/, tl/), where no package has them")

add_library(slipway_options INTERFACE)
target_include_directories(slipway_options INTERFACE ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR}/generated)
target_compile_features(slipway_options INTERFACE cxx_std_20)

add_library(slipway_warnings INTERFACE)
target_compile_options(slipway_warnings INTERFACE
  -Wall -Wextra -Wshadow -Wnon-virtual-dtor -Wold-style-cast -Wcast-align -Woverloaded-virtual -Wnull-dereference
  # g++ 12 reports both inside libstdc++'s strings and optionals although nothing is wrong (GCC bugs 105651, 105562).
  "$<$<CXX_COMPILER_ID:GNU>:-Wno-restrict;-Wno-maybe-uninitialized>"
  $<$<BOOL:${SLIPWAY_WERROR}>:-Werror>)
if(SLIPWAY_WERROR AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # g++ 12 sees overlaps and overflows in std::string's own operator+ (its bugs 105651 and 105329).
  target_compile_options(slipway_warnings INTERFACE -Wno-error=restrict -Wno-error=stringop-overflow)
endif()

if(SLIPWAY_SANITIZE)
  target_compile_options(slipway_options INTERFACE -fsanitize=${SLIPWAY_SANITIZE} -fno-omit-frame-pointer -g1)
  target_link_options(slipway_options INTERFACE -fsanitize=${SLIPWAY_SANITIZE})
  if(SLIPWAY_SANITIZE MATCHES undefined)
    # These four see what the address sanitizer sees too, or what cannot harm here, and double the compile time.
    target_compile_options(slipway_options INTERFACE -fno-sanitize=null,alignment,object-size,vptr)
  endif()
endif()

if(SLIPWAY_FUZZ)
  target_compile_options(slipway_options INTERFACE -fsanitize=fuzzer-no-link)
endif()

find_program(SLIPWAY_CCACHE ccache)
mark_as_advanced(SLIPWAY_CCACHE)
if(SLIPWAY_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${SLIPWAY_CCACHE})
  set(CMAKE_CUDA_COMPILER_LAUNCHER ${SLIPWAY_CCACHE})
endif()

# mold links a test program in a fraction of GNU ld's time.
find_program(SLIPWAY_MOLD mold)
mark_as_advanced(SLIPWAY_MOLD)
if(SLIPWAY_MOLD AND NOT CMAKE_EXE_LINKER_FLAGS MATCHES "fuse-ld")
  string(APPEND CMAKE_EXE_LINKER_FLAGS " -fuse-ld=mold")
endif()

# Turns AUTO into ON or OFF for this and all lower folders: ON when `found`, else OFF with `remedy` in the summary. A part that
# was asked for with ON and lacks something stops the configuration.
set(SLIPWAY_SUMMARY "")
macro(slipway_resolve name found remedy)
  if(SLIPWAY_${name} STREQUAL "AUTO")
    if(${found})
      set(SLIPWAY_${name} ON)
      list(APPEND SLIPWAY_SUMMARY "${name}|yes|")
    else()
      set(SLIPWAY_${name} OFF)
      list(APPEND SLIPWAY_SUMMARY "${name}|no|${remedy}")
    endif()
  elseif(SLIPWAY_${name})
    if(NOT ${found})
      message(FATAL_ERROR "SLIPWAY_${name}=ON, but: ${remedy}")
    endif()
    list(APPEND SLIPWAY_SUMMARY "${name}|yes|")
  else()
    list(APPEND SLIPWAY_SUMMARY "${name}|no|switched off")
  endif()
endmacro()

function(slipway_print_summary)
  message(STATUS "Slipway ${PROJECT_VERSION}, ${CMAKE_BUILD_TYPE}, will be built with:")
  foreach(row IN LISTS SLIPWAY_SUMMARY)
    string(REPLACE "|" ";" row "${row}")
    list(GET row 0 name)
    list(GET row 1 built)
    list(GET row 2 remark)
    string(TOLOWER "${name}" name)
    string(LENGTH "${name}" length)
    math(EXPR length "10 - ${length}")
    string(REPEAT " " ${length} space)
    if(remark)
      set(remark " (${remark})")
    endif()
    message(STATUS "  ${name}${space}${built}${remark}")
  endforeach()
endfunction()

# moc 6.4 cannot parse libstdc++'s <concepts> (templates constrained in the header); it needs nothing from there.
set(CMAKE_AUTOMOC_MOC_OPTIONS -D_GLIBCXX_CONCEPTS)
