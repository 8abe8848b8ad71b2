using Raceway.Pipelines;
using Raceway.Rings;

namespace Raceway.Suites.MainJob;

/// <summary>The main job over and over, at full speed or at a rate, with a meter: something to watch.</summary>
public sealed class EndlessMainJob : IDisposable
{
    /// <summary>What its measurements are tagged with.</summary>
    public const string PipelineName = "main-job";

    private readonly CancellationTokenSource _stop = new();
    private readonly Pipeline<HashedLine> _pipeline;
    private readonly PipelineMeter _meter;
    private readonly LineFeed _feed;
    private readonly Thread _producer;

    /// <summary>Starts it on threads of its own.</summary>
    /// <param name="input">The lines.</param>
    /// <param name="capacity">Lines that the ring holds.</param>
    /// <param name="ratePerSecond">Lines a second; without it as fast as they are taken.</param>
    public EndlessMainJob(LoadedInput input, int capacity, double? ratePerSecond = null)
    {
        _feed = new LineFeed(input, long.MaxValue / 2, ratePerSecond, _stop.Token);
        _pipeline = LinePipeline.Of<HashedLine>(capacity, new LineTotals(), Dispatch.Batch(), Plan.Auto).Run();
        _meter = _pipeline.CreateMeter(PipelineName);
        _producer = new Thread(Publish) { IsBackground = true, Name = "producer" };
        _producer.Start();
    }

    /// <summary>Completes when its stages have ended; faults where one failed.</summary>
    public Task Completion => _pipeline.Completion;

    /// <summary>Publishes no more, and returns when no thread of it runs.</summary>
    public void Dispose()
    {
        _stop.Cancel();
        // The halt releases a producer that waits for room.
        _pipeline.HaltAsync().GetAwaiter().GetResult();
        _producer.Join();
        _meter.Dispose();
        _stop.Dispose();
    }

    private void Publish()
    {
        try
        {
            RacewayLines<HashedLine>.Publish(_feed, _pipeline.CreateProducer(), RacewayLines<HashedLine>.LargestGroup, place: null);
        }
        catch (InvalidOperationException) when (_pipeline.State != RingState.Running)
        {
            // Halted, or a stage has failed: its own error is the pipeline's.
        }
    }
}
