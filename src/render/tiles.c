// SPDX-License-Identifier: MIT
// Lists by two passes over blocks of items: count per block and tile, sum, fill. Block borders are fixed, so the lists are
// the same for any number of threads.
#include "render/tiles.h"

#include <string.h>

typedef struct BinJob {
    const TileRect* rect;
    size_t tiles;
    int tiles_x;
    size_t* count; // first the count, then the place of the next item of this block in this tile
    uint32_t* item;
} BinJob;

static void count_block(void* context, size_t begin, size_t end, size_t block, int worker)
{
    BinJob* job = context;
    size_t* count = job->count + block * job->tiles;
    memset(count, 0, job->tiles * sizeof *count);
    for (size_t i = begin; i < end; i++) {
        TileRect r = job->rect[i];
        for (int y = r.y0; y <= r.y1; y++)
            for (int x = r.x0; x <= r.x1; x++)
                count[y * job->tiles_x + x]++;
    }
}

static void fill_block(void* context, size_t begin, size_t end, size_t block, int worker)
{
    BinJob* job = context;
    size_t* next = job->count + block * job->tiles;
    for (size_t i = begin; i < end; i++) {
        TileRect r = job->rect[i];
        for (int y = r.y0; y <= r.y1; y++)
            for (int x = r.x0; x <= r.x1; x++)
                job->item[next[y * job->tiles_x + x]++] = (uint32_t)i;
    }
}

static size_t list_grain(size_t items)
{
    return items / 64 > 8192 ? items / 64 : 8192;
}

static bool list_reserve(TileLists* lists, size_t tiles, size_t items)
{
    size_t blocks = block_count(items, list_grain(items));
    return memory_reserve(NULL, &lists->start, &lists->start_capacity, 0, tiles + 1, sizeof *lists->start) &&
           memory_reserve(NULL, &lists->count, &lists->count_capacity, 0, blocks * tiles + 1, sizeof *lists->count);
}

static void list_places(TileLists* lists, size_t tiles, size_t items)
{
    size_t place = 0, blocks = block_count(items, list_grain(items));
    lists->longest = 0;
    for (size_t tile = 0; tile < tiles; tile++) {
        lists->start[tile] = place;
        for (size_t block = 0; block < blocks; block++) {
            size_t n = lists->count[block * tiles + tile];
            lists->count[block * tiles + tile] = place;
            place += n;
        }
        if (place - lists->start[tile] > lists->longest)
            lists->longest = place - lists->start[tile];
    }
    lists->start[tiles] = place;
}

bool tile_lists_build(TileLists* lists, Pool* pool, const TileRect* rect, size_t items, int tiles_x, int tiles_y)
{
    size_t tiles = (size_t)tiles_x * (size_t)tiles_y, grain = list_grain(items);
    if (!list_reserve(lists, tiles, items))
        return false;
    BinJob job = {rect, tiles, tiles_x, lists->count, NULL};
    parallel_for(pool, items, grain, count_block, &job);
    list_places(lists, tiles, items);
    if (!memory_reserve(NULL, &lists->item, &lists->item_capacity, 0, lists->start[tiles] + 1, sizeof *lists->item))
        return false;
    job.item = lists->item;
    parallel_for(pool, items, grain, fill_block, &job);
    return true;
}

void tile_lists_free(TileLists* lists)
{
    memory_give(NULL, lists->start);
    memory_give(NULL, lists->item);
    memory_give(NULL, lists->count);
    *lists = (TileLists){0};
}

TileRect tile_rect_of(double x0, double y0, double x1, double y1, int width, int height)
{
    if (!(x1 > 0 && y1 > 0 && x0 < width && y0 < height))
        return tile_rect_none;
    return (TileRect){(uint16_t)(fmax(x0, 0) / TILE), (uint16_t)(fmax(y0, 0) / TILE), (uint16_t)(fmin(x1, width - 1) / TILE),
                      (uint16_t)(fmin(y1, height - 1) / TILE)};
}

bool sample_buffer_resize(SampleBuffer* buffer, const Camera* camera)
{
    buffer->camera = *camera;
    buffer->tiles_x = (camera->width + TILE - 1) / TILE;
    buffer->tiles_y = (camera->height + TILE - 1) / TILE;
    buffer->stride = buffer->tiles_x * TILE;
    size_t samples = (size_t)buffer->stride * (size_t)buffer->tiles_y * TILE;
    if (samples <= buffer->capacity)
        return true;
    sample_buffer_free(&(SampleBuffer){.depth = buffer->depth, .id = buffer->id});
    buffer->depth = memory_take(NULL, samples * sizeof *buffer->depth);
    buffer->id = memory_take(NULL, samples * sizeof *buffer->id);
    buffer->capacity = buffer->depth && buffer->id ? samples : 0;
    return buffer->capacity > 0;
}

void sample_buffer_free(SampleBuffer* buffer)
{
    memory_give(NULL, buffer->depth);
    memory_give(NULL, buffer->id);
    *buffer = (SampleBuffer){0};
}

void tile_begin(Tile* tile, const SampleBuffer* buffer, size_t index)
{
    const Camera* camera = &buffer->camera;
    tile->x = (int)(index % (size_t)buffer->tiles_x) * TILE;
    tile->y = (int)(index / (size_t)buffer->tiles_x) * TILE;
    for (int k = 0; k < TILE; k++) {
        tile->direction_x[k] = (float)((tile->x + k + 0.5 - camera->centre_x) / camera->focal);
        tile->direction_y[k] = (float)((tile->y + k + 0.5 - camera->centre_y) / camera->focal);
    }
    for (int y = 0; y < TILE; y++)
        for (int x = 0; x < TILE; x++) {
            tile->depth[y][x] = INFINITY;
            tile->id[y][x] = ID_NONE;
        }
}

void tile_end(const Tile* tile, SampleBuffer* buffer)
{
    for (int y = 0; y < TILE; y++) {
        size_t at = (size_t)(tile->y + y) * (size_t)buffer->stride + (size_t)tile->x;
        memcpy(buffer->depth + at, tile->depth[y], sizeof tile->depth[y]);
        memcpy(buffer->id + at, tile->id[y], sizeof tile->id[y]);
    }
}
