#if PEER_DISRUPTOR
using System.Runtime.CompilerServices;
using Disruptor;
using Raceway.Measuring;

namespace Raceway.Suites.RingSuite;

/// <summary>The work of a stage as a handler of Disruptor-net.</summary>
/// <remarks>Public, and the types it is made of as well: only such handlers are called directly by Disruptor-net.</remarks>
/// <typeparam name="TSlot">How an item lies in memory.</typeparam>
/// <typeparam name="TWork">What is done.</typeparam>
public abstract class DisruptorHandler<TSlot, TWork>
    where TSlot : struct, ISlot<TSlot>
    where TWork : struct, IStageWork<TSlot>
{
    private readonly DisruptorEnding _ending;
    private readonly int _stage;
    private readonly int _place;
    private readonly long _last;
    private TWork _work;

    internal DisruptorHandler(DisruptorEnding ending, int stage, int place, TWork work)
    {
        _ending = ending;
        _stage = stage;
        _place = place;
        _last = ending.LastSequence;
        _work = work;
    }

    /// <summary>Called on the handler's thread.</summary>
    public void OnStart() => Placement.StartApart(_place);

    /// <summary>Handles one item.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    protected void Take(ref TSlot slot, long sequence)
    {
        _work.Take(ref slot);
        if (TWork.Checks && sequence == _last) _ending.Report<TSlot, TWork>(_work, _stage);
    }

    /// <summary>Handles the items of a batch.</summary>
    protected void Take(ReadOnlySpan<DisruptorEvent<TSlot>> batch, long first)
    {
        TWork work = _work;
        foreach (DisruptorEvent<TSlot> item in batch) work.Take(ref item.Slot);
        _work = work;
        if (TWork.Checks && first + batch.Length > _last) _ending.Report<TSlot, TWork>(work, _stage);
    }
}

/// <summary>For a value ring.</summary>
/// <typeparam name="TSlot">How an item lies in memory.</typeparam>
/// <typeparam name="TWork">What is done.</typeparam>
public sealed class DisruptorValueHandler<TSlot, TWork> : DisruptorHandler<TSlot, TWork>, IValueEventHandler<TSlot>
    where TSlot : struct, ISlot<TSlot>
    where TWork : struct, IStageWork<TSlot>
{
    internal DisruptorValueHandler(DisruptorEnding ending, int stage, int place, TWork work)
        : base(ending, stage, place, work)
    {
    }

    /// <inheritdoc/>
    public void OnEvent(ref TSlot data, long sequence, bool endOfBatch) => Take(ref data, sequence);
}

/// <summary>For a ring of objects, an event at a time.</summary>
/// <typeparam name="TSlot">How an item lies in memory.</typeparam>
/// <typeparam name="TWork">What is done.</typeparam>
public sealed class DisruptorEventHandler<TSlot, TWork>
    : DisruptorHandler<TSlot, TWork>, IEventHandler<DisruptorEvent<TSlot>>
    where TSlot : struct, ISlot<TSlot>
    where TWork : struct, IStageWork<TSlot>
{
    internal DisruptorEventHandler(DisruptorEnding ending, int stage, int place, TWork work)
        : base(ending, stage, place, work)
    {
    }

    /// <inheritdoc/>
    public void OnEvent(DisruptorEvent<TSlot> data, long sequence, bool endOfBatch) => Take(ref data.Slot, sequence);
}

/// <summary>For a ring of objects, a batch at a time.</summary>
/// <typeparam name="TSlot">How an item lies in memory.</typeparam>
/// <typeparam name="TWork">What is done.</typeparam>
public sealed class DisruptorBatchHandler<TSlot, TWork>
    : DisruptorHandler<TSlot, TWork>, IBatchEventHandler<DisruptorEvent<TSlot>>
    where TSlot : struct, ISlot<TSlot>
    where TWork : struct, IStageWork<TSlot>
{
    internal DisruptorBatchHandler(DisruptorEnding ending, int stage, int place, TWork work)
        : base(ending, stage, place, work)
    {
    }

    /// <inheritdoc/>
    public void OnBatch(EventBatch<DisruptorEvent<TSlot>> batch, long sequence) => Take(batch.AsSpan(), sequence);
}

/// <summary>An object of a ring of objects.</summary>
/// <typeparam name="TSlot">How an item lies in memory.</typeparam>
public sealed class DisruptorEvent<TSlot>
    where TSlot : struct, ISlot<TSlot>
{
    /// <summary>The item.</summary>
    public ref TSlot Slot => ref _slot;

    private TSlot _slot = TSlot.Create();
}
#endif
