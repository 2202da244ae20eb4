// SPDX-License-Identifier: MIT
#include "io/series.h"

#include "base/error.h"
#include "io/frame.h"
#include <inttypes.h>
#include <string.h>

static bool is_taken(const char* name, const char (*taken)[SERIES_NAME], size_t count)
{
    for (size_t k = 0; k < count; k++)
        if (!strcmp(taken[k], name))
            return true;
    return false;
}

void series_name(char out[SERIES_NAME], const char* name, const char* fallback, const char (*taken)[SERIES_NAME], size_t count)
{
    enum { LONGEST = SERIES_NAME - 24 };
    if (!name || !name[0])
        name = fallback;
    char base[LONGEST + 1];
    size_t n = 0;
    for (; name[n] && n < LONGEST; n++) {
        unsigned char c = (unsigned char)name[n];
        bool good = c >= 128 || (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '-' ||
                    c == '_' || (c == '.' && n);
        base[n] = good ? name[n] : '_';
    }
    base[n] = 0;
    snprintf(out, SERIES_NAME, "%s", base);
    for (unsigned k = 2; is_taken(out, taken, count); k++)
        snprintf(out, SERIES_NAME, "%s_%u", base, k);
}

mn_Result series_path(char out[PATH_SIZE], const char* folder, const char* name, int64_t frame, const char* extension,
                      mn_Error* error)
{
    char file[SERIES_NAME + 32];
    snprintf(file, sizeof file, "%s_%06" PRId64 ".%s", name, frame, extension);
    return path_join(out, folder, file, error);
}

int64_t series_frame_of(const char* file_name, const char* name, const char* extension)
{
    size_t length = strlen(name);
    if (strncmp(file_name, name, length) || file_name[length] != '_')
        return -1;
    const char* digits = file_name + length + 1;
    size_t count = strspn(digits, "0123456789");
    if (count < 6 || count > 12 || digits[count] != '.' || strcmp(digits + count + 1, extension))
        return -1;
    int64_t frame = 0;
    for (size_t k = 0; k < count; k++)
        frame = frame * 10 + (digits[k] - '0');
    return frame;
}

static void print_pvd(FileOut* file, const char* name, int64_t last_frame, double frame_rate)
{
    file_out_print(file, "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"0.1\">\n<Collection>\n");
    for (int64_t k = 0; k <= last_frame; k++)
        file_out_print(file, "<DataSet timestep=\"%.9g\" part=\"0\" file=\"%s_%06" PRId64 ".vtp\"/>\n", (double)k / frame_rate,
                       name, k);
    file_out_print(file, "</Collection>\n</VTKFile>\n");
}

static void print_series(FileOut* file, const char* name, const char* extension, int64_t last_frame, double frame_rate)
{
    file_out_print(file, "{\n  \"file-series-version\": \"1.0\",\n  \"files\": [\n");
    for (int64_t k = 0; k <= last_frame; k++)
        file_out_print(file, "    { \"name\": \"%s_%06" PRId64 ".%s\", \"time\": %.9g }%s\n", name, k, extension,
                       (double)k / frame_rate, k < last_frame ? "," : "");
    file_out_print(file, "  ]\n}\n");
}

mn_Result series_write_list(const char* folder, const char* name, mn_ParticleFormat format, int64_t last_frame, double frame_rate,
                            mn_Error* error)
{
    if (format == MN_PARTICLES_CSV || format == MN_PARTICLES_NONE || format == MN_PARTICLES_BGEO)
        return MN_OK; // tables are opened one by one, and Houdini needs no list
    char file_name[SERIES_NAME + 32], path[PATH_SIZE];
    if (format == MN_PARTICLES_VTP)
        snprintf(file_name, sizeof file_name, "%s.pvd", name);
    else
        snprintf(file_name, sizeof file_name, "%s.%s.series", name, frame_extension(format));
    FileOut file;
    mn_Result result = path_join(path, folder, file_name, error);
    if (result == MN_OK)
        result = file_out_open(&file, path, error);
    if (result != MN_OK)
        return result;
    if (format == MN_PARTICLES_VTP)
        print_pvd(&file, name, last_frame, frame_rate);
    else
        print_series(&file, name, frame_extension(format), last_frame, frame_rate);
    return file_out_commit(&file, false, error);
}
