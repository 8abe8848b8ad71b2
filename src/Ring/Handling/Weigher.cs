namespace Raceway.Rings;

/// <summary>Says what an item weighs, for batches of a limited weight (<see cref="Dispatch.MaxWeight"/>).</summary>
/// <remarks>
/// <para><b>Threads</b>: called on the stage's thread, while a batch is being closed.</para>
/// <para><b>Cost</b>: one call an item, and one more for the item before which a batch was closed. None where no weight is
/// set.</para>
/// <para><b>Errors</b>: an exception, or a weight below 0, is a fault of the stage at that item
/// (<see cref="StageOptions.OnFault"/>); the items before it are handled first.</para>
/// </remarks>
/// <example>
/// <code>
/// Stage stage = ring.Subscribe(write, new StageOptions
/// {
///     Weigher = Weigher.By(static (in Order order) => order.Pieces),
///     Dispatch = Dispatch.Batch(maxWeight: 10_000),
/// });
/// </code>
/// </example>
public sealed class Weigher
{
    private readonly Delegate _weigh;

    private Weigher(Delegate weigh) => _weigh = weigh;

    /// <summary>Weighs by <paramref name="weigh"/>.</summary>
    /// <typeparam name="T">The item type of the stage.</typeparam>
    public static Weigher By<T>(ItemWeight<T> weigh)
    {
        ArgumentNullException.ThrowIfNull(weigh);
        return new Weigher(weigh);
    }

    /// <summary>The delegate, where it takes <typeparamref name="T"/>.</summary>
    internal ItemWeight<T>? For<T>() => _weigh as ItemWeight<T>;
}

/// <summary>The weight of one item, 0 or more.</summary>
/// <typeparam name="T">The item type.</typeparam>
public delegate long ItemWeight<T>(ref readonly T item);
