// See preludes.h: Python.
#include "core/formats/code/preludes.h"

namespace tessera::code {
namespace {

constexpr PreludeFunction kJaxPrelude[] = {
    {"array", R"py(
def array(type, shape, text):  # the bytes of all elements, little endian
    return np.frombuffer(base64.b64decode(text), type).reshape(shape)
)py"},
    {"total_key", R"py(
def total_key(x):  # integers in the total order of floats: -NaN < -inf < … < -0 < 0 < … < inf < NaN
    bits = np.dtype(x.dtype).itemsize * 8
    signed = np.dtype("int%d" % bits)
    key = lax.bitcast_convert_type(x, signed)
    return jnp.where(key < 0, key ^ np.array(2 ** (bits - 1) - 1, signed), key)
)py"},
    {"total_eq", "\ndef total_eq(x, y):\n    return lax.eq(total_key(x), total_key(y))\n"},
    {"total_ne", "\ndef total_ne(x, y):\n    return lax.ne(total_key(x), total_key(y))\n"},
    {"total_lt", "\ndef total_lt(x, y):\n    return lax.lt(total_key(x), total_key(y))\n"},
    {"total_le", "\ndef total_le(x, y):\n    return lax.le(total_key(x), total_key(y))\n"},
    {"total_gt", "\ndef total_gt(x, y):\n    return lax.gt(total_key(x), total_key(y))\n"},
    {"total_ge", "\ndef total_ge(x, y):\n    return lax.ge(total_key(x), total_key(y))\n"},
    {"broadcast", R"py(
def broadcast(x, sizes, dimensions):  # lax wants the dimensions in ascending order
    order = tuple(sorted(range(len(dimensions)), key=lambda i: dimensions[i]))
    if order != tuple(range(len(order))):
        x = lax.transpose(x, order)
    return lax.broadcast_in_dim(x, sizes, tuple(dimensions[i] for i in order))
)py"},
    {"vector_last", R"py(
def vector_last(indices, index_vector_dim, batching_dims):  # lax wants the index vector in the last dimension
    rank = len(indices.shape)
    if index_vector_dim == rank:
        return lax.reshape(indices, indices.shape + (1,)), batching_dims
    order = tuple(d for d in range(rank) if d != index_vector_dim) + (index_vector_dim,)
    return lax.transpose(indices, order), tuple(order.index(d) for d in batching_dims)
)py"},
    {"gather", R"py(
def gather(x, indices, offset_dims, collapsed, start_index_map, operand_batching, indices_batching, )py"
               R"py(index_vector_dim, sizes, is_sorted):
    indices, indices_batching = vector_last(indices, index_vector_dim, indices_batching)
    numbers = lax.GatherDimensionNumbers(offset_dims, collapsed, start_index_map, operand_batching, )py"
               R"py(indices_batching)
    return lax.gather(x, indices, numbers, sizes, indices_are_sorted=is_sorted, )py"
               R"py(mode=lax.GatherScatterMode.PROMISE_IN_BOUNDS)
)py"},
    {"scatter", R"py(
def scatter(operands, indices, updates, to_apply, window_dims, inserted, to_operand, )py"
                R"py(operand_batching, indices_batching, index_vector_dim,
            is_sorted, is_unique):
    indices, indices_batching = vector_last(indices, index_vector_dim, indices_batching)
    if len(operands) > 1:
        return scatter_together(operands, indices, updates, to_apply, window_dims, inserted, )py"
                R"py(to_operand, operand_batching, indices_batching)
    x = operands[0]
    numbers = lax.ScatterDimensionNumbers(window_dims, inserted, to_operand, operand_batching, )py"
                R"py(indices_batching)
    scalar = jax.ShapeDtypeStruct((), x.dtype)
    body = jax.make_jaxpr(to_apply)(scalar, scalar)
    return lax.scatter_p.bind(x, indices, updates[0], update_jaxpr=body.jaxpr, )py"
                R"py(update_consts=tuple(body.consts), dimension_numbers=numbers,
                              indices_are_sorted=is_sorted, unique_indices=is_unique,
                              mode=lax.GatherScatterMode.PROMISE_IN_BOUNDS)
)py"},
    {"scatter_together", R"py(
def scatter_together(operands, indices, updates, to_apply, window_dims, inserted, to_operand, )py"
                         R"py(operand_batching, indices_batching):
    shape, sizes = updates[0].shape, operands[0].shape  # lax scatters one operand: update by update, in order
    at = np.stack(np.unravel_index(np.arange(int(np.prod(shape))), shape)) if shape else np.zeros((0, )py"
                         R"py(1), np.int64)
    scattered = [d for d in range(len(shape)) if d not in window_dims]
    starts = indices[tuple(at[d] for d in scattered)] if scattered else jnp.broadcast_to(indices, )py"
                         R"py((at.shape[1],) + indices.shape)
    where, fits = [jnp.zeros(at.shape[1], np.int64) for _ in sizes], True
    for i, d in enumerate(to_operand):
        where[d] = where[d] + starts[:, i].astype(np.int64)
    for d, b in zip(operand_batching, indices_batching):
        where[d] = where[d] + at[scattered[b]]
    windowed = [d for d in range(len(sizes)) if d not in inserted and d not in operand_batching]
    window = {d: shape[w] for d, w in zip(windowed, window_dims)}
    for d in range(len(sizes)):
        fits = fits & (where[d] >= 0) & (where[d] <= sizes[d] - window.get(d, 1))
    for d, w in zip(windowed, window_dims):
        where[d] = where[d] + at[w]
    flat = [u.reshape(-1) for u in updates]
    def step(i, values):
        place = tuple(w[i] for w in where)
        new = to_apply(*(v[place] for v in values), *(u[i] for u in flat))
        return tuple(jnp.where(fits[i], v.at[place].set(n), v) for v, n in zip(values, new))
    return lax.fori_loop(0, at.shape[1], step, tuple(operands))
)py"},
    {"scan", R"py(
def scan(operands, to_apply, dimension, carries, reverse, steps, is_tuple):
    inputs = len(operands) - carries
    def step(carry, slices):
        out = to_apply(*slices, *carry)
        out = tuple(out) if isinstance(out, tuple) else (out,)
        return out[len(out) - carries:], out[:len(out) - carries]
    carry, stacked = lax.scan(step, tuple(operands[inputs:]), tuple(jnp.moveaxis(x, dimension, 0) for )py"
             R"py(x in operands[:inputs]), length=steps,
                              reverse=reverse)
    out = tuple(jnp.moveaxis(y, 0, dimension) for y in stacked) + tuple(carry)
    return out if is_tuple else out[0]
)py"},
    {"sort", R"py(
def sort(operands, less, dimension):  # any order: each element's place is the number of those before it
    n = operands[0].shape[dimension]
    def places(*rows):
        before = jax.vmap(lambda *a: jax.vmap(lambda *b: less(*[v for pair in zip(b, a) for v in )py"
             R"py(pair]))(*rows))(*rows)
        after = before.T
        index = np.arange(n)
        tied = ~before & ~after & (index[None, :] < index[:, None])
        return jnp.sum(before | tied, axis=1)
    rows = [jnp.moveaxis(x, dimension, -1).reshape(-1, n) for x in operands]
    def one(row):
        where = places(*row)
        return tuple(jnp.zeros_like(x).at[where].set(x) for x in row)
    done = lax.map(one, tuple(rows))
    lead = jnp.moveaxis(operands[0], dimension, -1).shape
    out = tuple(jnp.moveaxis(x.reshape(lead), -1, dimension) for x in done)
    return out if len(out) > 1 else out[0]
)py"},
    {"top_k", R"py(
def top_k(x, k, largest):
    values, places = lax.top_k(x if largest else lax.neg(x), k)
    return (values if largest else lax.neg(values)), places.astype(np.int32)
)py"},
    {"apply_map", R"py(
def apply_map(to_apply, *xs):
    return jax.vmap(to_apply)(*(lax.reshape(x, (x.size,)) for x in xs)).reshape(xs[0].shape)
)py"},
    {"reduce", R"py(
def reduce(operands, inits, to_apply, dimensions):
    if len(operands) == 1:
        return lax.reduce(operands[0], inits[0], to_apply, dimensions)
    return lax.reduce(operands, inits, lambda x, y: to_apply(*x, *y), dimensions)
)py"},
    {"reduce_window", R"py(
def reduce_window(operands, inits, to_apply, sizes, strides, padding, base_dilation, window_dilation):
    args = sizes, strides, padding, base_dilation, window_dilation
    if len(operands) == 1:
        return lax.reduce_window(operands[0], inits[0], to_apply, *args)
    return lax.reduce_window(operands, inits, lambda x, y: to_apply(*x, *y), *args)
)py"},
    {"select_and_scatter", R"py(
def select_and_scatter(x, source, init, select, scatter, sizes, strides, padding):
    from jax._src.lax import windowed_reductions
    return windowed_reductions._select_and_scatter(x, select, sizes, strides, padding, source, init, scatter)
)py"},
    {"along", R"py(
def along(x, feature, like):  # one value a feature, as large as `like`
    return lax.broadcast_in_dim(x, like.shape, (feature,))
)py"},
    {"batch_norm_inference", R"py(
def batch_norm_inference(x, scale, offset, mean, variance, epsilon, feature):
    inverse = lax.rsqrt(variance + np.array(epsilon, variance.dtype))
    return (x - along(mean, feature, x)) * along(inverse, feature, x) * along(scale, feature, x) + )py"
                             R"py(along(offset, feature, x)
)py"},
    {"batch_norm_training", R"py(
def batch_norm_training(x, scale, offset, epsilon, feature):
    others = tuple(d for d in range(x.ndim) if d != feature)
    mean = jnp.mean(x, others)
    variance = jnp.mean(lax.square(x - along(mean, feature, x)), others)
    inverse = lax.rsqrt(variance + np.array(epsilon, variance.dtype))
    out = (x - along(mean, feature, x)) * along(inverse, feature, x) * along(scale, feature, x) + )py"
                            R"py(along(offset, feature, x)
    return out, mean, variance
)py"},
    {"batch_norm_grad", R"py(
def batch_norm_grad(x, scale, mean, variance, grad, epsilon, feature):
    others = tuple(d for d in range(x.ndim) if d != feature)
    count = np.array(x.size // x.shape[feature], x.dtype)
    inverse = lax.rsqrt(variance + np.array(epsilon, variance.dtype))
    centered = x - along(mean, feature, x)
    grad_offset = jnp.sum(grad, others)
    weighted = jnp.sum(grad * centered, others)
    grad_scale = weighted * inverse
    inner = count * grad - along(grad_offset, feature, x) - centered * along(weighted * inverse * )py"
                        R"py(inverse, feature, x)
    return along(scale * inverse, feature, x) / count * inner, grad_scale, grad_offset
)py"},
    {"scaled_dot", R"py(
def scaled_dot(lhs, rhs, lhs_scale, rhs_scale, dimensions, type):
    def scaled(x, scale):  # a scale for each block along each dimension
        for d in range(scale.ndim):
            scale = jnp.repeat(scale, x.shape[d] // scale.shape[d], d)
        return x.astype(np.float32) * scale.astype(np.float32)
    out = lax.dot_general(scaled(lhs, lhs_scale), scaled(rhs, rhs_scale), dimensions, )py"
                   R"py(precision=lax.Precision.HIGHEST)
    return out.astype(type)
)py"},
    {"replica_id", R"py(
def replica_id(devices, partitions):
    return np.uint32(0) if devices == 1 else (lax.axis_index("devices") // partitions).astype(np.uint32)
)py"},
    {"partition_id", R"py(
def partition_id(devices, partitions):
    return np.uint32(0) if devices == 1 else (lax.axis_index("devices") % partitions).astype(np.uint32)
)py"},
    {"folded", R"py(
def folded(parts, to_apply):  # one value out of one a device, in order
    out = parts[0]
    for i in range(1, parts.shape[0]):
        out = jax.vmap(to_apply)(out.reshape(-1), parts[i].reshape(-1)).reshape(out.shape)
    return out
)py"},
    {"all_reduce", R"py(
def all_reduce(operands, to_apply, groups):
    out = tuple(folded(lax.all_gather(x, "devices", axis_index_groups=groups), to_apply) for x in operands)
    return out if len(out) > 1 else out[0]
)py"},
    {"all_gather", R"py(
def all_gather(operands, dimension, groups):
    out = tuple(lax.all_gather(x, "devices", axis_index_groups=groups, axis=dimension, tiled=True) )py"
                   R"py(for x in operands)
    return out if len(out) > 1 else out[0]
)py"},
    {"reduce_scatter", R"py(
def reduce_scatter(operands, to_apply, dimension, groups):
    def one(x):
        count = len(groups[0]) if groups else lax.axis_size("devices")
        sizes = x.shape[:dimension] + (count, x.shape[dimension] // count) + x.shape[dimension + 1:]
        blocks = jnp.moveaxis(x.reshape(sizes), dimension, 0)
        return folded(lax.all_to_all(blocks, "devices", 0, 0, axis_index_groups=groups), to_apply)
    out = tuple(one(x) for x in operands)
    return out if len(out) > 1 else out[0]
)py"},
    {"all_to_all", R"py(
def all_to_all(operands, dimensions, groups):
    if dimensions:
        return lax.all_to_all(operands[0], "devices", dimensions[0], dimensions[0], )py"
                   R"py(axis_index_groups=groups, tiled=True)
    return tuple(lax.all_to_all(jnp.stack(operands), "devices", 0, 0, axis_index_groups=groups))
)py"},
    {"permute", R"py(
def permute(operands, pairs):
    out = tuple(lax.ppermute(x, "devices", pairs) for x in operands)
    return out if len(out) > 1 else out[0]
)py"},
    {"broadcast_from_first", R"py(
def broadcast_from_first(x, groups):
    return lax.all_gather(x, "devices", axis_index_groups=groups)[0]
)py"},
    {"cholesky", R"py(
def cholesky(x, lower):
    if lower:
        return lax.linalg.cholesky(x, symmetrize_input=False)
    factor = lax.linalg.cholesky(jnp.conj(jnp.swapaxes(x, -1, -2)), symmetrize_input=False)
    return jnp.conj(jnp.swapaxes(factor, -1, -2))
)py"},
    {"conditional", R"py(
def conditional(index, branches, operands):
    calls = [lambda f=f, x=x: f(x) for f, x in zip(branches, operands)]
    if index.dtype == np.bool_:
        return lax.cond(index, calls[0], calls[1])
    last = np.int32(len(calls) - 1)
    return lax.switch(jnp.where((index < 0) | (index > last), last, index), calls)
)py"},
    {"random_bits", R"py(
def random_bits(state, sizes, type, algorithm):
    known = {"rng_default": lax.RandomAlgorithm.RNG_DEFAULT, "rng_three_fry": )py"
                    R"py(lax.RandomAlgorithm.RNG_THREE_FRY,
             "rng_philox": lax.RandomAlgorithm.RNG_PHILOX}
    return tuple(lax.rng_bit_generator(state, sizes, type, known[algorithm]))
)py"},
    {"rng", R"py(
def rng(distribution, a, b, sizes):
    if distribution == "rng_uniform":
        return lax.rng_uniform(a, b, sizes)
    u = lax.rng_uniform(np.array(-1, a.dtype), np.array(1, a.dtype), sizes)
    return a + b * lax.erf_inv(u) * np.array(2 ** 0.5, a.dtype)
)py"},
    {"custom_call", R"py(
def custom_call(target, operands, result, config, inputs=None, outputs=None):
    if target in ("Sharding", "xla.sdy.FuncResultSharding", "xla.sdy.GlobalToLocalShape", )py"
                    R"py("xla.sdy.LocalToGlobalShape", "SPMDFullToShardShape",
                  "SPMDShardToFullShape"):
        return operands if len(operands) > 1 else operands[0]
    if target == "LuDecomposition":
        return tuple(lax.linalg.lu(*operands))
    if target == "Qr":
        from jax._src.lax import linalg
        return tuple(linalg.geqrf(*operands))
    if target == "ProductOfElementaryHouseholderReflectors":
        return lax.linalg.householder_product(*operands)
    if target == "Eigh":
        return tuple(lax.linalg.eigh(*operands))
    if target.startswith("lapack_"):
        from jaxlib import lapack
        lapack.prepare_lapack_call("getrf", np.float32)  # loads the library
    attributes = {}
    for name, number, bits in re.findall(r"(\w+) = (-?\d+) : u?i(\d+)", config):
        attributes[name] = np.dtype(("uint" if "%s : ui" % number in config else "int") + bits).type(number)
    def struct(part):
        return tuple(struct(p) for p in part) if isinstance(part, list) else )py"
                    R"py(jax.ShapeDtypeStruct(part[1], part[0])
    reverse_all = lambda orders: None if orders is None else tuple(tuple(reversed(order)) for order in orders)
    many = isinstance(result, list)
    outputs = reverse_all(outputs) if many or outputs is None else reverse_all(outputs)[0]
    call = jax.ffi.ffi_call(target, struct(result), input_layouts=reverse_all(inputs), output_layouts=outputs)
    out = call(*operands, **attributes)
    return tuple(out) if many else out
)py"},
};

}  // namespace

std::span<const PreludeFunction> jaxPrelude() { return kJaxPrelude; }

}  // namespace tessera::code
