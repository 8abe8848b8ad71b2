using System.Threading.Channels;

namespace Raceway.Suites.MailboxSuite.Actors;

/// <summary>A channel with default options, read to the end by a task.</summary>
internal readonly struct ChannelBoxes : IBoxes<(Channel<int> Channel, Task Reader)>
{
    public static (Channel<int> Channel, Task Reader) Start(Actor actor, int? bound)
    {
        Channel<int> channel = bound is { } most ? Channel.CreateBounded<int>(most) : Channel.CreateUnbounded<int>();
        return (channel, Task.Run(() => ReadAsync(channel.Reader, actor)));
    }

    public static void Post((Channel<int> Channel, Task Reader) box, int message)
    {
        if (!box.Channel.Writer.TryWrite(message)) box.Channel.Writer.WriteAsync(message).AsTask().Wait();
    }

    public static ValueTask PostAsync((Channel<int> Channel, Task Reader) box, int message) =>
        box.Channel.Writer.WriteAsync(message);

    public static void End((Channel<int> Channel, Task Reader) box)
    {
        box.Channel.Writer.Complete();
        box.Reader.Wait();
    }

    private static async Task ReadAsync(ChannelReader<int> reader, Actor actor)
    {
        while (await reader.WaitToReadAsync().ConfigureAwait(false))
        {
            while (reader.TryRead(out int message)) actor.Take(message);
        }
    }
}
