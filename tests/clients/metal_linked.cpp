// A client that is linked with Metal.
#include "tests/clients/metal_client.h"

extern "C" id MTLCreateSystemDefaultDevice(void);
extern "C" id MTLCopyAllDevices(void);

id create_default_device() { return MTLCreateSystemDefaultDevice(); }
id copy_all_devices() { return MTLCopyAllDevices(); }
