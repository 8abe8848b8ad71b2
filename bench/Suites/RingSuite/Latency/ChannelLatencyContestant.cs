using System.Threading.Channels;

namespace Raceway.Suites.RingSuite;

/// <summary>Channels: one before every stage, drained with <c>TryRead</c> and awaited when empty.</summary>
internal sealed class ChannelLatencyContestant(
    string name, RingShape shape, Arrivals arrivals, Func<int, Channel<Number>> create)
    : LatencyContestant(name, shape, arrivals)
{
    private Channel<Number>[] _channels = [];

    protected override void Prepare(LatencyRound round, RoundThreads roundThreads)
    {
        Channel<Number>[] channels = _channels = [.. Enumerable.Range(0, Shape.Stages).Select(_ => create(Shape.Capacity))];
        roundThreads.Add(() =>
        {
            round.Send(new Sender(channels[0].Writer));
            channels[0].Writer.Complete();
        });
        AddStages(round.Load, roundThreads);

        // With an exception: a writer that waits for room must not be told to go on.
        roundThreads.OnCancel(() => Array.ForEach(channels, static c => c.Writer.TryComplete(new OperationCanceledException())));
    }

    protected override void AddStage<TWork>(RingLoad load, RoundThreads roundThreads, int stage, TWork work)
    {
        ChannelReader<Number> from = _channels[stage - 1].Reader;
        ChannelWriter<Number>? to = stage == Shape.Stages ? null : _channels[stage].Writer;
        roundThreads.AddAsync(async () =>
        {
            TWork done = await (to is null ? ChannelStages.ConsumeAsync(from, work) : ChannelStages.PassOnAsync(from, to, work));
            done.Report(load, stage);
        });
    }

    private readonly struct Sender(ChannelWriter<Number> writer) : ISender
    {
        private readonly ChannelWriter<Number> _writer = writer;

        // The open loop has a thread of its own: only where there is no room does it wait for a task.
        public void Send(long item)
        {
            Number slot = Slot.Of<Number>(item);
            while (!_writer.TryWrite(slot)) _writer.WaitToWriteAsync().AsTask().GetAwaiter().GetResult();
        }
    }
}
