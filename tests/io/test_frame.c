// SPDX-License-Identifier: MIT
#include "io_support.h"

#include "io/frame.h"
#include "io/frame_gather.h"
#include "io/points.h"
#include "io/vtp.h"

static const mn_ParticleFormat formats[] = {MN_PARTICLES_VTP, MN_PARTICLES_PLY, MN_PARTICLES_VTK, MN_PARTICLES_CSV,
                                            MN_PARTICLES_BGEO};
enum { FORMATS = sizeof formats / sizeof *formats };

// Floats of every size, among them denormals and the largest.
static float any_float(Random* random)
{
    union {
        uint32_t bits;
        float value;
    } any;
    do
        any.bits = (uint32_t)random_next(random);
    while (!isfinite(any.value));
    return any.value;
}

static Frame any_frame(size_t count)
{
    Random random = {count + 7};
    Frame frame = {0};
    frame.time = 1.0 / 3;
    assert_true(frame_allocate(&frame, count));
    for (size_t k = 0; k < count; k++) {
        for (size_t c = 0; c < 3; c++) {
            frame.position[3 * k + c] = any_float(&random);
            frame.velocity[3 * k + c] = any_float(&random);
        }
        frame.density[k] = any_float(&random);
        frame.pressure[k] = any_float(&random);
        frame.id[k] = (uint32_t)(k * 4000000000u / (count + 1));
        frame.fluid[k] = (uint8_t)random_next(&random);
    }
    return frame;
}

static void assert_same(const Frame* a, const Frame* b)
{
    assert_int_equal(a->count, b->count);
    assert_memory_equal(a->position, b->position, 3 * a->count * sizeof(float));
    assert_memory_equal(a->velocity, b->velocity, 3 * a->count * sizeof(float));
    assert_memory_equal(a->density, b->density, a->count * sizeof(float));
    assert_memory_equal(a->pressure, b->pressure, a->count * sizeof(float));
    assert_memory_equal(a->id, b->id, a->count * sizeof(uint32_t));
    assert_memory_equal(a->fluid, b->fluid, a->count);
}

static void each_format_gives_back_every_bit(void** state)
{
    static const size_t counts[] = {0, 1, 2, 3001};
    for (size_t c = 0; c < 4; c++) {
        for (size_t f = 0; f < FORMATS; f++) {
            char path[256];
            snprintf(path, sizeof path, "%s/frame.%s", (char*)*state, frame_extension(formats[f]));
            Frame written = any_frame(counts[c]), read;
            mn_Error error = {0};
            if (frame_write(path, formats[f], &written, &error) != MN_OK)
                fail_msg("%s", error.message);
            if (frame_read(path, &read, &error) != MN_OK)
                fail_msg("%s: %s", path, error.message);
            assert_same(&written, &read);
            if ((counts[c] || formats[f] != MN_PARTICLES_CSV) && formats[f] != MN_PARTICLES_BGEO)
                assert_true(read.time == written.time);
            frame_free(&written);
            frame_free(&read);
        }
    }
}

// the XML says what is there: the tags nest, and offset + size of each array is where the next one begins
static void vtp_is_well_formed(void** state)
{
    char path[256];
    snprintf(path, sizeof path, "%s/frame.vtp", (char*)*state);
    Frame frame = any_frame(77);
    assert_int_equal(frame_write(path, MN_PARTICLES_VTP, &frame, NULL), MN_OK);
    FileBytes bytes = bytes_of(path);
    VtpFile vtp;
    assert_int_equal(vtp_parse(&bytes, path, &vtp, NULL), MN_OK);
    assert_int_equal(vtp.counts.points, 77);
    assert_int_equal(vtp.counts.verts, 77);
    assert_int_equal(vtp.array_count, 8);
    const char* next = vtp.array[0].data;
    for (size_t k = 0; k < vtp.array_count; k++) {
        assert_ptr_equal(vtp.array[k].data, next);
        next = vtp.array[k].data + vtp.array[k].count * number_size(vtp.array[k].type) + sizeof(uint64_t);
    }
    static const char tail[] = "\n</AppendedData>\n</VTKFile>\n";
    assert_memory_equal(next - sizeof(uint64_t), tail, sizeof tail - 1);
    assert_int_equal(next - sizeof(uint64_t) + sizeof tail - 1 - bytes.data, bytes.size);
    // cells: particle k alone
    const VtpArray* connectivity = vtp_find(&vtp, "Verts", "connectivity");
    const VtpArray* offsets = vtp_find(&vtp, "Verts", "offsets");
    for (size_t k = 0; k < 77; k++) {
        assert_true(number_get(NUMBER_I32, connectivity->data + 4 * k, false) == (double)k);
        assert_true(number_get(NUMBER_I32, offsets->data + 4 * k, false) == (double)(k + 1));
    }
    file_bytes_free(&bytes);
    frame_free(&frame);
}

// every shorter file is an error or, where only closing words are missing, the same frame; never a crash
static void cut_files_are_refused(void** state)
{
    for (size_t f = 0; f < FORMATS; f++) {
        char path[256], cut[256];
        snprintf(path, sizeof path, "%s/frame.%s", (char*)*state, frame_extension(formats[f]));
        snprintf(cut, sizeof cut, "%s/cut", (char*)*state);
        Frame frame = any_frame(9);
        assert_int_equal(frame_write(path, formats[f], &frame, NULL), MN_OK);
        FileBytes bytes = bytes_of(path);
        size_t refused = 0;
        for (size_t size = 0; size < bytes.size; size++) {
            write_bytes(cut, bytes.data, size);
            Frame read;
            mn_Error error = {0};
            mn_Result result = frame_read(cut, &read, &error);
            if (result == MN_OK) {
                frame_free(&read);
            } else {
                assert_int_equal(result, MN_BAD_INPUT);
                assert_string_equal(error.file, cut);
                assert_true(error.message[0]);
                refused++;
            }
        }
        // a table cut between two rows, or in the last digits of its last number, is still a table
        assert_true(refused > (formats[f] == MN_PARTICLES_CSV ? bytes.size / 4 : bytes.size * 8 / 10));
        file_bytes_free(&bytes);
        frame_free(&frame);
    }
}

static void damaged_files_never_crash(void** state)
{
    Random random = {42};
    for (size_t f = 0; f < FORMATS; f++) {
        char path[256];
        snprintf(path, sizeof path, "%s/frame.%s", (char*)*state, frame_extension(formats[f]));
        Frame frame = any_frame(5);
        assert_int_equal(frame_write(path, formats[f], &frame, NULL), MN_OK);
        FileBytes bytes = bytes_of(path);
        for (int round = 0; round < 800; round++) {
            char* damaged = malloc(bytes.size);
            memcpy(damaged, bytes.data, bytes.size);
            int hits = 1 + (int)(random_next(&random) % 4);
            for (int k = 0; k < hits; k++) {
                // digits often, since they are counts and offsets
                size_t at = (size_t)(random_next(&random) % bytes.size);
                damaged[at] = random_next(&random) % 2 ? (char)('0' + random_next(&random) % 10) : (char)random_next(&random);
            }
            write_bytes(path, damaged, bytes.size);
            free(damaged);
            Frame read;
            if (frame_read(path, &read, NULL) == MN_OK)
                frame_free(&read);
        }
        file_bytes_free(&bytes);
        frame_free(&frame);
    }
}

static void lies_about_counts_are_refused(void** state)
{
    static const char* const files[] = {
        "ply\nformat binary_little_endian 1.0\nelement vertex 4000000000\nproperty float x\nproperty float y\nproperty float "
        "z\nend_header\n1234",
        "ply\nformat ascii 1.0\nelement vertex 2\nproperty float x\nproperty float y\nproperty float z\nend_header\n1 2 3 4\n",
        "ply\nformat ascii 1.0\nelement vertex -1\nproperty float x\nproperty float y\nproperty float z\nend_header\n",
        "ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nproperty float y\nend_header\n1 2\n",
        "# vtk DataFile Version 3.0\nt\nBINARY\nDATASET POLYDATA\nPOINTS 18446744073709551615 float\n",
        "# vtk DataFile Version 3.0\nt\nBINARY\nDATASET POLYDATA\nPOINTS 6148914691236517206 float\n",
        "# vtk DataFile Version 3.0\nt\nASCII\nDATASET POLYDATA\nPOINTS 0 float\n",
        "x,y,z\n1,2\n3,4,5\n",
        "x,y,z\n1,2,\n3,4,5\n",
        "x,y,z\n1,2,3,4\n",
        "a,b\n1,2\n",
        "",
        "hello",
        "<?xml version=\"1.0\"?><VTKFile type=\"PolyData\" header_type=\"UInt64\"><PolyData><Piece NumberOfPoints=\"1\"><Points>"
        "<DataArray type=\"Float32\" Name=\"p\" NumberOfComponents=\"3\" format=\"appended\" offset=\"18446744073709551610\"/>"
        "</Points></Piece></PolyData><AppendedData encoding=\"raw\">_01234567",
        "<?xml version=\"1.0\"?><VTKFile type=\"PolyData\" header_type=\"UInt64\"><PolyData><Piece NumberOfPoints=\"1\"><Points>"
        "<DataArray type=\"Float32\" Name=\"p\" NumberOfComponents=\"3\" format=\"appended\" offset=\"0\"/>"
        "</Points></Piece></PolyData><AppendedData encoding=\"raw\">_\xff\xff\xff\xff\xff\xff\xff\xff",
    };
    char path[256];
    snprintf(path, sizeof path, "%s/lie", (char*)*state);
    for (size_t k = 0; k < sizeof files / sizeof *files; k++) {
        write_bytes(path, files[k], strlen(files[k]));
        Frame frame;
        mn_Error error = {0};
        if (frame_read(path, &frame, &error) != MN_BAD_INPUT)
            fail_msg("file %zu was accepted", k);
        assert_true(error.message[0]);
    }
}

static void gather_sorts_one_fluid_by_id(void** state)
{
    float position[20], velocity[20], density[5] = {1, 1.5f, 1, 1, 1}, pressure[5] = {0, 1, 2, 3, 4};
    for (int k = 0; k < 20; k++) {
        position[k] = (float)k;
        velocity[k] = (float)-k;
    }
    uint32_t id[5] = {4000000000u, 70000, 3, 2, 1};
    uint8_t fluid[5] = {1, 1, 1, 0, 1};
    mn_ParticleView view = {5, position, velocity, density, pressure, id, fluid};
    Frame frame = {0};
    assert_int_equal(frame_gather(&view, 1, 800, 0.25, &frame, NULL), MN_OK);
    assert_int_equal(frame.count, 4);
    const uint32_t ids[] = {1, 3, 70000, 4000000000u};
    assert_memory_equal(frame.id, ids, sizeof ids);
    assert_true(frame.density[2] == 1200.0f && frame.pressure[2] == 1.0f);
    assert_true(frame.position[6] == 4.0f && frame.position[8] == 6.0f && frame.velocity[3] == -8.0f);
    assert_true(frame.time == 0.25);

    // with the other fluid it makes the whole again
    Frame parts[2] = {frame, {.count = 0}}, whole = {0};
    assert_int_equal(frame_gather(&view, 0, 1000, 0.25, &parts[1], NULL), MN_OK);
    assert_int_equal(frame_merge(parts, 2, &whole, NULL), MN_OK);
    const uint32_t all[] = {1, 2, 3, 70000, 4000000000u};
    assert_int_equal(whole.count, 5);
    assert_memory_equal(whole.id, all, sizeof all);
    assert_true(whole.density[1] == 1000.0f && whole.fluid[1] == 0 && whole.fluid[2] == 1);
    frame_free(&parts[0]);
    frame_free(&parts[1]);
    frame_free(&whole);
}

static void missing_file_is_named(void** state)
{
    Frame frame;
    mn_Error error = {0};
    assert_int_equal(frame_read("/nowhere/frame.vtp", &frame, &error), MN_BAD_INPUT);
    assert_string_equal(error.file, "/nowhere/frame.vtp");
    assert_non_null(strstr(error.message, "No such file"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(each_format_gives_back_every_bit, folder_make, folder_remove),
        cmocka_unit_test_setup_teardown(vtp_is_well_formed, folder_make, folder_remove),
        cmocka_unit_test_setup_teardown(cut_files_are_refused, folder_make, folder_remove),
        cmocka_unit_test_setup_teardown(damaged_files_never_crash, folder_make, folder_remove),
        cmocka_unit_test_setup_teardown(lies_about_counts_are_refused, folder_make, folder_remove),
        cmocka_unit_test(gather_sorts_one_fluid_by_id),
        cmocka_unit_test(missing_file_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
