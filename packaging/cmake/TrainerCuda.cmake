# On a machine with a CUDA toolkit but without all that libtorch_cuda loads, slipway-trainer is a CPU program. That the NCCL
# backend compiles and links is proven there by building slipway-trainer-cuda: the same program with nccl_group.cpp in place of
# no_nccl.cpp (the linker takes the object named first and leaves the one in the library alone).
include_guard(GLOBAL)
if(NOT TARGET slipway-trainer)
  return()
endif()
set(slipway_can_prove_nccl FALSE)
if(SLIPWAY_TORCH_CUDA_LINKS AND NOT SLIPWAY_CUDA AND EXISTS ${PROJECT_SOURCE_DIR}/trainer/comm/nccl_group.cpp)
  set(slipway_can_prove_nccl TRUE)
  get_target_property(slipway_trainer_sources slipway-trainer SOURCES)
  get_target_property(slipway_trainer_dir slipway-trainer SOURCE_DIR)
  get_target_property(slipway_trainer_libraries slipway-trainer LINK_LIBRARIES)
  list(TRANSFORM slipway_trainer_sources PREPEND "${slipway_trainer_dir}/" REGEX "^[^/]")
  add_executable(slipway-trainer-cuda EXCLUDE_FROM_ALL ${slipway_trainer_sources}
    ${PROJECT_SOURCE_DIR}/trainer/comm/nccl_group.cpp)
  target_link_libraries(slipway-trainer-cuda PRIVATE ${slipway_trainer_libraries} slipway::torch_cuda)
endif()
if(SLIPWAY_TESTS)
  if(slipway_can_prove_nccl)
    add_test(NAME trainer.nccl_links COMMAND ${CMAKE_COMMAND} --build ${PROJECT_BINARY_DIR} --target slipway-trainer-cuda)
  elseif(NOT SLIPWAY_CUDA)
    add_test(NAME trainer.nccl_links
      COMMAND ${CMAKE_COMMAND} -E echo "SKIP   : trainer.nccl_links() no CUDA 13 toolkit with NCCL to link against")
  endif()
  if(TEST trainer.nccl_links)
    set_tests_properties(trainer.nccl_links PROPERTIES LABELS trainer TIMEOUT 600 RUN_SERIAL ON)
  endif()
endif()
