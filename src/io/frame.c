// SPDX-License-Identifier: MIT
// Particle frames: the fields of a frame by name, writing through PointSet, reading by content.
#include "io/frame.h"

#include "base/error.h"
#include "io/points.h"
#include <stdlib.h>
#include <string.h>

// The order of these is the order of columns and arrays in files.
enum { FIELD_POSITION, FIELD_VELOCITY, FIELD_DENSITY, FIELD_PRESSURE, FIELD_ID, FIELD_FLUID, FIELD_COUNT };
// Only read: diffuse particles have a radius.
enum { FIELD_RADIUS = FIELD_COUNT };

static const struct {
    const char* name;
    NumberType type;
    int components;
} fields[FIELD_COUNT + 1] = {
    {"position", NUMBER_F32, 3}, {"velocity", NUMBER_F32, 3}, {"density", NUMBER_F32, 1}, {"pressure", NUMBER_F32, 1},
    {"id", NUMBER_U32, 1},       {"fluid", NUMBER_U8, 1},     {"radius", NUMBER_F32, 1},
};

// What diffuse particles have in the place of what fluid particles have, see foam_file.h.
static const struct {
    const char* name;
    int field;
} diffuse_fields[] = {{"age", FIELD_DENSITY}, {"life", FIELD_PRESSURE}, {"kind", FIELD_FLUID}, {"radius", FIELD_RADIUS}};

const char* frame_extension(mn_ParticleFormat format)
{
    static const char* const extension[] = {"", "vtp", "ply", "vtk", "csv", "bgeo"};
    return extension[format];
}

mn_Result frame_write(const char* path, mn_ParticleFormat format, const Frame* frame, mn_Error* error)
{
    const void* data[FIELD_COUNT] = {frame->position, frame->velocity, frame->density, frame->pressure, frame->id, frame->fluid};
    PointField field[FIELD_COUNT];
    for (int k = 0; k < FIELD_COUNT; k++)
        field[k] = (PointField){fields[k].name, fields[k].type, fields[k].components, data[k]};
    PointSet points = {.time = frame->time, .count = frame->count, .field_count = FIELD_COUNT, .field = field};
    return points_write(path, format, &points, error);
}

static bool begins(const FileBytes* bytes, const char* text)
{
    return bytes->size >= strlen(text) && !memcmp(bytes->data, text, strlen(text));
}

static mn_Result read_bytes(const FileBytes* bytes, const char* path, Frame* frame, mn_Error* error)
{
    if (begins(bytes, "<?xml") || begins(bytes, "<VTKFile"))
        return frame_read_vtp(bytes, path, frame, error);
    if (begins(bytes, "ply"))
        return frame_read_ply(bytes, path, frame, error);
    if (begins(bytes, "# vtk DataFile"))
        return frame_read_vtk(bytes, path, frame, error);
    if (begins(bytes, "BgeoV"))
        return frame_read_bgeo(bytes, path, frame, error);
    if (bytes->size && memchr(bytes->data, ',', bytes->size < 256 ? bytes->size : 256))
        return frame_read_csv(bytes, path, frame, error);
    return format_error(error, path, 0, "not a particle frame; known are .vtp, .ply, legacy .vtk, .csv and .bgeo");
}

mn_Result frame_read(const char* path, Frame* frame, mn_Error* error)
{
    *frame = (Frame){0};
    FileBytes bytes;
    mn_Result result = file_read(path, &bytes, error);
    if (result != MN_OK)
        return result;
    result = read_bytes(&bytes, path, frame, error);
    file_bytes_free(&bytes);
    if (result != MN_OK)
        frame_free(frame);
    return result;
}

void frame_free(Frame* frame)
{
    free(frame->position);
    free(frame->velocity);
    free(frame->density);
    free(frame->pressure);
    free(frame->id);
    free(frame->fluid);
    *frame = (Frame){0};
}

bool frame_allocate(Frame* frame, size_t count)
{
    *frame = (Frame){.time = frame->time, .count = count, .radius = frame->radius};
    if (count > UINT32_MAX)
        return false;
    // one element more, so that an empty frame has arrays too
    frame->position = calloc(count + 1, 3 * sizeof(float));
    frame->velocity = calloc(count + 1, 3 * sizeof(float));
    frame->density = calloc(count + 1, sizeof(float));
    frame->pressure = calloc(count + 1, sizeof(float));
    frame->id = calloc(count + 1, sizeof(uint32_t));
    frame->fluid = calloc(count + 1, 1);
    if (!frame->position || !frame->velocity || !frame->density || !frame->pressure || !frame->id || !frame->fluid) {
        frame_free(frame);
        return false;
    }
    for (size_t k = 0; k < count; k++)
        frame->id[k] = (uint32_t)k;
    return true;
}

int frame_field_of(const char* name, size_t length)
{
    for (int k = 0; k < FIELD_COUNT; k++)
        if (strlen(fields[k].name) == length && !memcmp(fields[k].name, name, length))
            return k;
    for (size_t k = 0; k < sizeof diffuse_fields / sizeof *diffuse_fields; k++)
        if (strlen(diffuse_fields[k].name) == length && !memcmp(diffuse_fields[k].name, name, length))
            return diffuse_fields[k].field;
    return -1;
}

int frame_column_of(const char* name, size_t length, int* component)
{
    static const struct {
        const char* name;
        int field, component;
    } columns[] = {{"x", FIELD_POSITION, 0},  {"y", FIELD_POSITION, 1},  {"z", FIELD_POSITION, 2},
                   {"vx", FIELD_VELOCITY, 0}, {"vy", FIELD_VELOCITY, 1}, {"vz", FIELD_VELOCITY, 2}};
    for (size_t k = 0; k < sizeof columns / sizeof *columns; k++) {
        if (strlen(columns[k].name) == length && !memcmp(columns[k].name, name, length)) {
            *component = columns[k].component;
            return columns[k].field;
        }
    }
    *component = 0;
    int field = frame_field_of(name, length);
    return field >= 0 && fields[field].components == 1 ? field : -1;
}

int frame_field_components(int field)
{
    return fields[field].components;
}

// Conversion of a number that does not fit is undefined in C, and files may hold any.
static uint32_t to_whole(double value, double most)
{
    return value >= 0 && value <= most ? (uint32_t)value : 0;
}

void frame_store(Frame* frame, int field, int component, size_t index, double value)
{
    switch (field) {
    case FIELD_POSITION:
        frame->position[3 * index + (size_t)component] = (float)value;
        break;
    case FIELD_VELOCITY:
        frame->velocity[3 * index + (size_t)component] = (float)value;
        frame->has_velocity = true;
        break;
    case FIELD_DENSITY:
        frame->density[index] = (float)value;
        break;
    case FIELD_PRESSURE:
        frame->pressure[index] = (float)value;
        break;
    case FIELD_ID:
        frame->id[index] = to_whole(value, UINT32_MAX);
        frame->has_id = true;
        break;
    case FIELD_FLUID:
        frame->fluid[index] = (uint8_t)to_whole(value, UINT8_MAX);
        break;
    case FIELD_RADIUS:
        frame->radius = (float)value;
        break;
    default:
        break;
    }
}

mn_Result frame_read_particles(const char* path, size_t* count, float** position, float** velocity, mn_Error* error)
{
    Frame frame;
    mn_Result result = frame_read(path, &frame, error);
    if (result != MN_OK)
        return result;
    *count = frame.count;
    *position = frame.position;
    *velocity = frame.has_velocity ? frame.velocity : NULL;
    frame.position = NULL;
    frame.velocity = frame.has_velocity ? NULL : frame.velocity;
    frame_free(&frame);
    return MN_OK;
}
