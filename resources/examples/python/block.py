"""A block of a transformer: attention, then two layers."""
import jax
import jax.numpy as jnp


def layer_norm(x, scale):
    mean = x.mean(-1, keepdims=True)
    return (x - mean) * jax.lax.rsqrt(x.var(-1, keepdims=True) + 1e-5) * scale


def attention(x, weights):
    q, k, v = (x @ weights[name] for name in ("q", "k", "v"))
    scores = q @ k.T / jnp.sqrt(q.shape[-1])
    return jax.nn.softmax(scores) @ v


def block(weights, x):
    x = x + attention(layer_norm(x, weights["scale"]), weights)
    hidden = jax.nn.gelu(x @ weights["up"])
    return x + hidden @ weights["down"]


if __name__ == "__main__":
    size = {"q": (64, 64), "k": (64, 64), "v": (64, 64), "up": (64, 256), "down": (256, 64), "scale": (64,)}
    weights = {name: jax.ShapeDtypeStruct(shape, jnp.float32) for name, shape in size.items()}
    lowered = jax.jit(block).lower(weights, jax.ShapeDtypeStruct((128, 64), jnp.float32))
    open("block.hlo", "w").write(lowered.as_text("hlo", debug_info=True))
