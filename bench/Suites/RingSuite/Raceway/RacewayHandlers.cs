using Raceway.Measuring;
using Raceway.Rings;

namespace Raceway.Suites.RingSuite;

/// <summary>A handler of ours, with the work that it does.</summary>
internal interface IWorking<TWork>
{
    TWork Work { get; }
}

/// <summary>The work of a stage as a struct handler of single items.</summary>
internal struct EachItem<TSlot, TWork>(TWork work, int? place) : IEventHandler<TSlot>, IStageLifetime, IWorking<TWork>
    where TSlot : struct, ISlot<TSlot>
    where TWork : struct, IStageWork<TSlot>
{
    private readonly int? _place = place;
    private TWork _work = work;

    public readonly TWork Work => _work;

    public readonly void OnStart() => Placement.StartApart(_place);

    public readonly void OnStop()
    {
    }

    public void OnEvent(ref TSlot item, long sequence, bool endOfBatch) => _work.Take(ref item);
}

/// <summary>The work of a stage as a struct handler of the objects of a ring of objects.</summary>
internal struct EachObject<TSlot, TWork>(TWork work, int? place) : IEventHandler<RacewayObject<TSlot>>, IStageLifetime, IWorking<TWork>
    where TSlot : struct, ISlot<TSlot>
    where TWork : struct, IStageWork<TSlot>
{
    private readonly int? _place = place;
    private TWork _work = work;

    public readonly TWork Work => _work;

    public readonly void OnStart() => Placement.StartApart(_place);

    public readonly void OnStop()
    {
    }

    public void OnEvent(ref RacewayObject<TSlot> item, long sequence, bool endOfBatch) => _work.Take(ref item.Slot);
}

/// <summary>The work of a stage as a struct handler of batches of the objects of a ring of objects.</summary>
internal struct EachObjectOfBatch<TSlot, TWork>(TWork work, int? place)
    : IBatchHandler<RacewayObject<TSlot>>, IStageLifetime, IWorking<TWork>
    where TSlot : struct, ISlot<TSlot>
    where TWork : struct, IStageWork<TSlot>
{
    private readonly int? _place = place;

    public TWork Work { get; private set; } = work;

    public readonly void OnStart() => Placement.StartApart(_place);

    public readonly void OnStop()
    {
    }

    public void OnBatch(Batch<RacewayObject<TSlot>> batch)
    {
        TWork work = Work;
        foreach (ref RacewayObject<TSlot> item in batch) work.Take(ref item.Slot);
        Work = work;
    }
}

/// <summary>The work of a stage as a struct handler of batches.</summary>
internal struct EachBatch<TSlot, TWork>(TWork work, int? place) : IBatchHandler<TSlot>, IStageLifetime, IWorking<TWork>
    where TSlot : struct, ISlot<TSlot>
    where TWork : struct, IStageWork<TSlot>
{
    private readonly int? _place = place;

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

/// <summary>The work of a stage as an object that is called through the interface for every item.</summary>
/// <remarks>
/// The compiler tests for a class that it has seen in three of ten calls at a place, and calls that one directly; a
/// program of few classes would measure its guess. So the handlers are of <see cref="Count"/> classes, a round after the
/// other, none of which is that frequent.
/// </remarks>
internal static class ClassHandlers
{
    /// <summary>How many classes there are.</summary>
    public const int Count = 8;

    /// <summary>A handler of one of the classes.</summary>
    public static IEventHandler<TSlot> Create<TSlot, TWork>(int which, TWork work, int? place)
        where TSlot : struct, ISlot<TSlot>
        where TWork : struct, IStageWork<TSlot> => (which % Count) switch
        {
            0 => new Handler<TSlot, TWork, byte>(work, place),
            1 => new Handler<TSlot, TWork, sbyte>(work, place),
            2 => new Handler<TSlot, TWork, short>(work, place),
            3 => new Handler<TSlot, TWork, ushort>(work, place),
            4 => new Handler<TSlot, TWork, int>(work, place),
            5 => new Handler<TSlot, TWork, uint>(work, place),
            6 => new Handler<TSlot, TWork, long>(work, place),
            _ => new Handler<TSlot, TWork, ulong>(work, place),
        };

    // A class of its own for every TMark, which has no other meaning.
    private sealed class Handler<TSlot, TWork, TMark>(TWork work, int? place)
        : IEventHandler<TSlot>, IStageLifetime, IWorking<TWork>
        where TSlot : struct, ISlot<TSlot>
        where TWork : struct, IStageWork<TSlot>
        where TMark : struct
    {
        private TWork _work = work;

        public TWork Work => _work;

        public void OnStart() => Placement.StartApart(place);

        public void OnStop()
        {
        }

        public void OnEvent(ref TSlot item, long sequence, bool endOfBatch) => _work.Take(ref item);
    }
}
