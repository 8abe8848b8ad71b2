using System.Threading.Channels;

namespace Raceway.Suites.RingSuite;

/// <summary>A bounded channel before each stage, awaited.</summary>
internal sealed class ChannelTrickleContestant(RingShape shape, TimeSpan gap, int messages)
    : TrickleContestant("channel-bounded", shape, gap, messages)
{
    protected override void Prepare(RingLoad load, RoundThreads roundThreads)
    {
        Channel<long>[] channels = [.. Enumerable.Range(0, Shape.Stages).Select(_ => ChannelKinds.Bounded<long>(Shape.Capacity))];
        roundThreads.Add(() =>
        {
            Publish(load, item => channels[0].Writer.TryWrite(item));
            channels[0].Writer.Complete();
        });
        for (int i = 0; i < Shape.Stages; i++)
        {
            ChannelReader<long> from = channels[i].Reader;
            ChannelWriter<long>? to = i + 1 < channels.Length ? channels[i + 1].Writer : null;
            roundThreads.AddAsync(() => RunAsync(from, to, load));
        }

        roundThreads.OnCancel(() => Array.ForEach(channels, static c => c.Writer.TryComplete(new OperationCanceledException())));
    }

    private async Task RunAsync(ChannelReader<long> from, ChannelWriter<long>? to, RingLoad load)
    {
        Check check = load.NewCheck();
        while (await from.WaitToReadAsync())
        {
            while (from.TryRead(out long item))
            {
                Body.Work(ref item, Shape.Increments);
                if (to is null) check.Take(item);
                else to.TryWrite(item);
            }
        }

        to?.Complete();
        if (to is null) load.Report(check);
    }
}
