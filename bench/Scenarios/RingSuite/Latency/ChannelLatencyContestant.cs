using System.Threading.Channels;

namespace Raceway.Scenarios.RingSuite;

/// <summary>Channels: one before every stage, drained with <c>TryRead</c> and awaited when empty.</summary>
internal sealed class ChannelLatencyContestant(
    string name, RingShape shape, Arrivals arrivals, Func<Channel<long>> create) : LatencyContestant(name, shape, arrivals)
{
    protected override void Prepare(LatencyRound round, Crew crew)
    {
        Channel<long>[] channels = [.. Enumerable.Range(0, Shape.Stages).Select(_ => create())];
        crew.Add(() =>
        {
            round.Send(new Sender(channels[0].Writer));
            channels[0].Writer.Complete();
        });
        for (int s = 0; s < channels.Length - 1; s++)
        {
            (ChannelReader<long> from, ChannelWriter<long> to) = (channels[s].Reader, channels[s + 1].Writer);
            crew.AddAsync(() => PassOnAsync(from, to));
        }

        crew.AddAsync(() => ConsumeAsync(channels[^1].Reader, round));

        // With an exception: a writer that waits for room must not be told to go on.
        crew.OnCancel(() => Array.ForEach(channels, static c => c.Writer.TryComplete(new OperationCanceledException())));
    }

    private async Task PassOnAsync(ChannelReader<long> reader, ChannelWriter<long> writer)
    {
        while (await reader.WaitToReadAsync())
        {
            while (reader.TryRead(out long item))
            {
                Body.Work(ref item, Shape.Increments);
                while (!writer.TryWrite(item)) await writer.WaitToWriteAsync();
            }
        }

        writer.Complete();
    }

    private async Task ConsumeAsync(ChannelReader<long> reader, LatencyRound round)
    {
        Receiver receiver = round.NewReceiver();
        while (await reader.WaitToReadAsync()) receiver = Drain(reader, receiver);
        round.Report(receiver);
    }

    private Receiver Drain(ChannelReader<long> reader, Receiver receiver)
    {
        while (reader.TryRead(out long item))
        {
            Body.Work(ref item, Shape.Increments);
            receiver.Take(item);
        }

        return receiver;
    }

    private readonly struct Sender(ChannelWriter<long> writer) : ISender
    {
        private readonly ChannelWriter<long> _writer = writer;

        // The open loop has a thread of its own: only where there is no room does it wait for a task.
        public void Send(long item)
        {
            while (!_writer.TryWrite(item)) _writer.WaitToWriteAsync().AsTask().GetAwaiter().GetResult();
        }
    }
}
