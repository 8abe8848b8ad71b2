using Raceway.Rings;

namespace Raceway.Pipelines;

/// <summary>A <see cref="SlotMap{TIn, TOut}"/> as a handler of single items, so that a fault is known to be one item's.</summary>
internal readonly struct MapEach<TIn, TOut>(SlotMap<TIn, TOut> map, Slots<TOut> results) : IEventHandler<TIn>
{
    public void OnEvent(ref TIn item, long sequence, bool endOfBatch)
    {
        try
        {
            map(ref item, ref results[sequence]);
        }
        catch
        {
            // As with a batch handler: what is passed over by policy has no result.
            results.Reset(sequence);
            throw;
        }
    }
}

/// <summary>A <see cref="SlotExpansion{TIn, TOut}"/> as a handler.</summary>
internal sealed class ExpandEach<TIn, TOut>(SlotExpansion<TIn, TOut> expand) : IExpandHandler<TIn, TOut>
{
    public void OnItem(ref TIn item, Emitter<TOut> output) => expand(ref item, output);
}
