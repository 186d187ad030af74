# Options of the whole build. Each defaults to "if found"; the configure step ends with a summary.
option(SLIPWAY_GUI "Build the window (needs Qt 6 Widgets and Charts)" ON)
option(SLIPWAY_TRAINER "Build slipway-trainer (needs libtorch 2.11)" ON)
option(SLIPWAY_TESTS "Build the test programs (needs Qt 6 Test)" ON)
option(SLIPWAY_WERROR "Warnings are errors" OFF)
set(SLIPWAY_SANITIZE "" CACHE STRING "Sanitizers: address,undefined or thread")

add_library(slipway_options INTERFACE)
target_include_directories(slipway_options INTERFACE ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR}/generated)
target_compile_features(slipway_options INTERFACE cxx_std_20)

add_library(slipway_warnings INTERFACE)
target_compile_options(slipway_warnings INTERFACE
  -Wall -Wextra -Wshadow -Wnon-virtual-dtor -Wold-style-cast -Wcast-align -Woverloaded-virtual -Wnull-dereference
  $<$<BOOL:${SLIPWAY_WERROR}>:-Werror>)

if(SLIPWAY_SANITIZE)
  target_compile_options(slipway_options INTERFACE -fsanitize=${SLIPWAY_SANITIZE} -fno-omit-frame-pointer -g1)
  target_link_options(slipway_options INTERFACE -fsanitize=${SLIPWAY_SANITIZE})
endif()

find_program(SLIPWAY_CCACHE ccache)
if(SLIPWAY_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${SLIPWAY_CCACHE})
  set(CMAKE_CUDA_COMPILER_LAUNCHER ${SLIPWAY_CCACHE})
endif()
