// A model's config.json by its place on the Hugging Face hub or by URL. Fetched on a person's request, one document per call.
//   auto text = fetchConfig("hf:meta-llama/Llama-3.1-8B", {});   // or https://huggingface.co/ORG/NAME, any https URL
#pragma once

#include "core/net/http.h"

#include <string>

namespace slipway::interop {

struct RemoteOptions {
    std::string hub = "https://huggingface.co";
    HttpOptions http = {};  ///< `token` is sent to the hub only
};

/// True for "hf:ORG/NAME", for URLs of any scheme, and for the hub's addresses without a scheme, as shown by browsers.
bool isRemote(const std::string& place);

/// "hf:ORG/NAME" when the text is ORG/NAME alone, as copied from the hub's pages; else empty. It may also be a file's
/// path, so a command suggests this and does not contact the hub by itself.
std::string hubPlaceOf(const std::string& text);

/// The address of the document. "hf:ORG/NAME", "hf:ORG/NAME@REVISION", ORG/NAME alone, a model's page and a file's page
/// on the hub become the file's own address; other URLs stay unchanged. "bad_url" when it does not name a model.
Result<std::string> configUrl(const std::string& place, const std::string& hub = RemoteOptions{}.hub);

/// The document's text. Errors of httpGet(); the hub's errors name the remedy for licences, tokens and names.
/// "net_not_config" when a web page or binary data came instead of text.
Result<std::string> fetchConfig(const std::string& place, const RemoteOptions& options);

/// The hub's token of the environment (HF_TOKEN, else HUGGING_FACE_HUB_TOKEN); empty when there is none. Never stored,
/// logged or shown.
std::string hubToken();

/// Model name of a place, for the run: "Llama-3.1-8B"; empty when there is none.
std::string modelNameOf(const std::string& place);

}  // namespace slipway::interop
