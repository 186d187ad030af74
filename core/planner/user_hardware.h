// Devices and prices of the user, in addition to the library: a file in the home, read by the commands and the window.
//   auto own = readUserHardware(home / "devices.json");   useUserHardware(*own);   // devicePresets() has them from here on
#pragma once

#include "core/base/json.h"
#include "core/planner/presets.h"

#include <filesystem>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace slipway {

/// The file's name in the home.
constexpr const char* kUserHardwareFile = "devices.json";

/// Strict: "json_syntax", "file_unreadable", "bad_hardware" with every problem and its place. A missing file is an empty list.
Result<UserHardware> readUserHardware(const std::filesystem::path& file);
/// The same for a text. @param name of the file, for messages
Result<UserHardware> parseUserHardware(std::string_view text, const std::string& name);
Result<void> writeUserHardware(const std::filesystem::path& file, const UserHardware& hardware);

/// Paths of the fields that differ from the library's device of the same name; all set fields for a device that only the user has.
std::set<std::string> usersFields(const ClusterSpec& device);
/// The user's device of this name, added or with one field changed (dotted path without "cluster."); it starts from
/// devicePresets(), with the user as source. "unknown_device", "bad_hardware".
Result<ClusterSpec> changedDevice(const std::string& name, const std::string& path, const std::string& text);
/// Adds the device, or replaces the user's of the same name.
void putDevice(UserHardware& hardware, const ClusterSpec& device);
/// False when the user has no device of this name.
bool dropDevice(UserHardware& hardware, std::string_view name);
/// Source of one figure of a device: the source text can have parts ("network: ...", "memory ...", "price: ...").
std::string sourceOfFigure(const DeviceSpec& device, std::string_view path);

}  // namespace slipway
