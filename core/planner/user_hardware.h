// Devices and prices of the user, in addition to the library: a file in the home, read by the commands and the window alike.
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
/// The same of a text. @param name of the file, for messages
Result<UserHardware> parseUserHardware(std::string_view text, const std::string& name);
Result<void> writeUserHardware(const std::filesystem::path& file, const UserHardware& hardware);

/// Paths of the fields in which the device differs from the library's of its name; all that are set for a device of the user's alone.
std::set<std::string> usersFields(const ClusterSpec& device);
/// The user's device of this name, added or with one field changed (dotted path without "cluster."); it begins as devicePresets() has
/// it, with the user as source. "unknown_device", "bad_hardware".
Result<ClusterSpec> changedDevice(const std::string& name, const std::string& path, const std::string& text);
/// Puts the device in the place of the user's of its name.
void putDevice(UserHardware& hardware, const ClusterSpec& device);
/// False when the user has no device of this name.
bool dropDevice(UserHardware& hardware, std::string_view name);
/// Where one figure of a device is from: the source names parts of its own ("network: ...", "memory ...", "price: ...").
std::string sourceOfFigure(const DeviceSpec& device, std::string_view path);

}  // namespace slipway
