using Raceway.Measuring;
using Raceway.Rings;

namespace Raceway.Suites.RingSuite;

/// <summary>A handler of ours, with the work that it does.</summary>
internal interface IWorking<TWork>
{
    TWork Work { get; }
}

/// <summary>The work of a stage as a struct handler of single items.</summary>
internal struct EachItem<TSlot, TWork>(TWork work, int place) : IEventHandler<TSlot>, IStageLifetime, IWorking<TWork>
    where TSlot : struct, ISlot<TSlot>
    where TWork : struct, IStageWork<TSlot>
{
    private readonly int _place = place;
    private TWork _work = work;

    public readonly TWork Work => _work;

    public readonly void OnStart() => Placement.StartApart(_place);

    public readonly void OnStop()
    {
    }

    public void OnEvent(ref TSlot item, long sequence, bool endOfBatch) => _work.Take(ref item);
}

/// <summary>The work of a stage as a struct handler of batches.</summary>
internal struct EachBatch<TSlot, TWork>(TWork work, int place) : IBatchHandler<TSlot>, IStageLifetime, IWorking<TWork>
    where TSlot : struct, ISlot<TSlot>
    where TWork : struct, IStageWork<TSlot>
{
    private readonly int _place = place;

    public TWork Work { get; private set; } = work;

    public readonly void OnStart() => Placement.StartApart(_place);

    public readonly void OnStop()
    {
    }

    public void OnBatch(Batch<TSlot> batch)
    {
        TWork work = Work;
        foreach (ref TSlot item in batch) work.Take(ref item);
        Work = work;
    }
}
