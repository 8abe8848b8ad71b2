using System.Runtime.ExceptionServices;
using Raceway.Interop.Journal;
using Raceway.Pipelines;
using Raceway.Rings;

namespace Raceway.Suites.JournalSuite.Replays;

/// <summary>Our replay: stored items go through the pipeline, and its last stage is the state. It is opened anew each round.</summary>
internal sealed class PipelineReplay : IReplay
{
    private const int Capacity = 4_096;

    // What is opened each round makes a segment ahead, which takes longer than the replay if it is large.
    private static readonly JournalOptions s_options = new() { SegmentLength = 8 << 20 };

    private readonly string _folder;
    private readonly ReplayState _state;
    private readonly Plan _plan;
    private Journal<Bytes128>? _journal;
    private Pipeline<Bytes128>? _pipeline;
    private SingleProducer<Bytes128>? _producer;

    public PipelineReplay(string folder, ReplayState state, Plan plan)
    {
        (_folder, _state, _plan) = (folder, state, plan);
        // Stored by the default: Pooled makes batches smaller while calls take long, and each is a sync here.
        Open(Plan.Auto);
        for (long index = 0; index < ReplayContestant.Stored; index++)
        {
            _producer!.Publish(index, static (ref Bytes128 slot, long index) =>
                Logged.Fill(StructForm<Bytes128>.Of(ref slot), index, ReplayContestant.Round.Number));
        }

        Drain();
        End();
    }

    public long Prepare(long items)
    {
        Open(_plan);
        return ReplayContestant.Stored - items;
    }

    public void Run(long items, ReplayState state)
    {
        _journal!.Replay(_producer!, ReplayContestant.Stored - items);
        Drain();
    }

    public void End()
    {
        _pipeline!.HaltAsync().GetAwaiter().GetResult();
        _journal!.Close();
    }

    public void Dispose() => _journal?.Dispose();

    private void Open(Plan plan)
    {
        _journal = Journal<Bytes128>.Open(_folder, StructForm<Bytes128>.Codec, s_options);
        _pipeline = Pipeline.Of<Bytes128>(Capacity).Stage("journal", _journal).Stage("state", _state).Run(plan);
        _producer = _pipeline.CreateProducer();
        MadeAhead.Wait(_folder, s_options.SegmentLength);
    }

    private void Drain()
    {
        DrainResult drained = _pipeline!.DrainAsync(Timeout.InfiniteTimeSpan).GetAwaiter().GetResult();
        if (drained.Fault is { } fault) ExceptionDispatchInfo.Throw(fault);
    }
}
