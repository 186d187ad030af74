// Short names for the table's rows; private to this room.
#pragma once

#include "core/faults/fault_table.h"

namespace slipway::signs {

inline Sign code(std::string_view word) {
    return {Sign::Place::Code, word};
}
inline Sign exitCode(int number) {
    return {Sign::Place::ExitCode, {}, number};
}
inline Sign signal(int number) {
    return {Sign::Place::Signal, {}, number};
}
inline Sign reason(std::string_view word) {
    return {Sign::Place::Reason, word};
}
inline Sign event(std::string_view name) {
    return {Sign::Place::Event, name};
}
inline Sign text(std::string_view pattern) {
    return {Sign::Place::Text, pattern};
}
inline Sign kernel(std::string_view pattern) {
    return {Sign::Place::Kernel, pattern};
}

}  // namespace slipway::signs
