# cmake --install build/release, and cpack -G DEB -B build/package --config build/release/CPackConfig.cmake, which makes three
# packages: slipway (command and agent), slipway-gui, slipway-trainer.
include(GNUInstallDirs)
set(slipway_maintainer "Slipway maintainers <maintainers@users.noreply.a-seed-bb446fcf.example>")
set(slipway_packaging ${PROJECT_SOURCE_DIR}/packaging)
set(slipway_generated ${PROJECT_BINARY_DIR}/packaging)
set(slipway_components "")

# slipway_package(COMPONENT PROGRAM...): man pages of the programs, and the documents that a Debian package named after the
# component has.
function(slipway_package component)
  foreach(program IN LISTS ARGN)
    configure_file(${slipway_packaging}/man/${program}.1.in ${slipway_generated}/man/${program}.1 @ONLY)
    list(APPEND compress "${slipway_generated}/man/${program}.1")
    list(APPEND pages "${slipway_generated}/man/${program}.1.gz")
  endforeach()
  set(documents ${slipway_generated}/${component})
  file(MAKE_DIRECTORY ${documents})
  execute_process(COMMAND ${slipway_packaging}/deb/changelog.sh ${PROJECT_SOURCE_DIR}/CHANGELOG.md ${component} "${slipway_maintainer}"
    OUTPUT_FILE ${documents}/changelog COMMAND_ERROR_IS_FATAL ANY)
  execute_process(COMMAND gzip -9 --no-name --force --keep ${documents}/changelog ${compress} COMMAND_ERROR_IS_FATAL ANY)
  install(FILES ${pages} DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT ${component})
  install(FILES ${documents}/changelog.gz ${slipway_packaging}/deb/copyright
    DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/${component} COMPONENT ${component})
  set(slipway_components ${slipway_components} ${component} PARENT_SCOPE)
endfunction()

install(TARGETS slipway-agent RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT slipway)
install(FILES ${slipway_packaging}/deb/slipway.overrides DESTINATION ${CMAKE_INSTALL_DATADIR}/lintian/overrides RENAME slipway
  COMPONENT slipway)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/experiments DESTINATION ${CMAKE_INSTALL_DATADIR}/slipway COMPONENT slipway)
install(FILES ${PROJECT_SOURCE_DIR}/docs/glossary.md DESTINATION ${CMAKE_INSTALL_DATADIR}/slipway/experiments/playbook COMPONENT slipway)
if(TARGET slipway)
  slipway_package(slipway slipway slipway-agent)
  install(TARGETS slipway RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT slipway)
  # The program writes its own completion, so that it cannot fall behind.
  install(CODE "
    foreach(shell_and_file bash|${CMAKE_INSTALL_DATADIR}/bash-completion/completions/slipway
                           zsh|${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions/_slipway
                           fish|${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d/slipway.fish)
      string(REPLACE \"|\" \";\" pair \"\${shell_and_file}\")
      list(POP_FRONT pair shell file)
      execute_process(COMMAND \"$<TARGET_FILE:slipway>\" completion \${shell} OUTPUT_VARIABLE text RESULT_VARIABLE result)
      if(result EQUAL 0)
        set(target \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/\${file}\")
        file(WRITE \"\${target}\" \"\${text}\")
        list(APPEND CMAKE_INSTALL_MANIFEST_FILES \"\${CMAKE_INSTALL_PREFIX}/\${file}\")
      endif()
    endforeach()" COMPONENT slipway)
else()
  slipway_package(slipway slipway-agent)
endif()

if(TARGET slipway-gui)
  slipway_package(slipway-gui slipway-gui)
  install(TARGETS slipway-gui RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT slipway-gui)
  install(FILES ${slipway_packaging}/desktop/slipway.desktop DESTINATION ${CMAKE_INSTALL_DATADIR}/applications COMPONENT slipway-gui)
  install(FILES ${slipway_packaging}/desktop/slipway.svg
    DESTINATION ${CMAKE_INSTALL_DATADIR}/icons/hicolor/scalable/apps COMPONENT slipway-gui)
  configure_file(${slipway_packaging}/desktop/slipway.metainfo.xml.in ${slipway_generated}/slipway.metainfo.xml @ONLY)
  install(FILES ${slipway_generated}/slipway.metainfo.xml DESTINATION ${CMAKE_INSTALL_DATADIR}/metainfo COMPONENT slipway-gui)
endif()

if(TARGET slipway-trainer)
  slipway_package(slipway-trainer slipway-trainer)
  # No path of this computer: bin/slipway-trainer finds libtorch and starts the program.
  install(TARGETS slipway-trainer RUNTIME DESTINATION lib/slipway COMPONENT slipway-trainer)
  install(CODE "file(RPATH_REMOVE FILE \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/lib/slipway/slipway-trainer\")"
    COMPONENT slipway-trainer)
  configure_file(${slipway_packaging}/trainer/slipway-trainer ${slipway_generated}/starter/slipway-trainer @ONLY)
  install(PROGRAMS ${slipway_generated}/starter/slipway-trainer DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT slipway-trainer)
  # Beside it in a build folder: `slipway nodes setup` installs the trainer of this folder on nodes.
  foreach(script libtorch.sh wheels.sh wheels.txt)
    configure_file(${slipway_packaging}/setup/${script} ${slipway_generated}/starter/${script} COPYONLY)
  endforeach()
  install(PROGRAMS ${slipway_packaging}/setup/libtorch.sh DESTINATION lib/slipway COMPONENT slipway-trainer)
  install(FILES ${slipway_packaging}/setup/wheels.sh ${slipway_packaging}/setup/wheels.txt DESTINATION lib/slipway
    COMPONENT slipway-trainer)
endif()

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME slipway)
set(CPACK_PACKAGE_CONTACT "${slipway_maintainer}")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_ALL ${slipway_components})
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
foreach(component IN LISTS slipway_components)
  string(TOUPPER "${component}" name)
  set(CPACK_DEBIAN_${name}_PACKAGE_NAME ${component})
endforeach()
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "plan, prove, launch and compare training runs of language models")
set(CPACK_DEBIAN_SLIPWAY_DESCRIPTION
"Forecasts memory, step time and MFU of a parallel layout, searches layouts,
launches runs and compares them. This package has the command and the agent
that starts the ranks on each node.")
set(CPACK_DEBIAN_SLIPWAY_PACKAGE_RECOMMENDS "slipway-trainer, openssh-client")
set(CPACK_DEBIAN_SLIPWAY_PACKAGE_SUGGESTS "slipway-gui, dict-wn, libsecret-tools")
set(CPACK_DEBIAN_SLIPWAY-GUI_DESCRIPTION
"Plans, runs, sweeps and reports of language model training in a window, in
English and Korean. This package has the window.")
set(CPACK_DEBIAN_SLIPWAY-GUI_PACKAGE_DEPENDS "slipway (= ${PROJECT_VERSION})")
set(CPACK_DEBIAN_SLIPWAY-GUI_PACKAGE_RECOMMENDS "qt6-wayland, fonts-noto-core, fonts-noto-cjk")
set(CPACK_DEBIAN_SLIPWAY-TRAINER_DESCRIPTION
"Trains language models in any parallel layout, proves layouts against one
process and measures this computer. This package has the trainer. It needs
libtorch, which slipway trainer setup fetches and checks by SHA-256.")
# libgomp1, python3: of libtorch and of what fetches it.
set(CPACK_DEBIAN_SLIPWAY-TRAINER_PACKAGE_DEPENDS "slipway (= ${PROJECT_VERSION}), libgomp1, python3")
set(CPACK_DEBIAN_SLIPWAY-TRAINER_PACKAGE_RECOMMENDS "python3-pip")
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS "${SLIPWAY_TORCH_ROOT}/lib")
include(CPack)
