using System.Threading.Channels;
using Raceway.Measuring;

namespace Raceway.Suites.MainJob;

/// <summary>Stages as tasks with a bounded Channel before each, as a .NET programmer would write it.</summary>
/// <remarks>
/// Readers wait with <c>WaitToReadAsync</c> and drain with <c>TryRead</c>: <c>ReadAsync</c> with a token loses items of a
/// bounded channel on this runtime (dotnet/runtime #132094). Writers try first and then wait for room, which is faster
/// and allocates less than <c>WriteAsync</c> when the channel is full.
/// </remarks>
/// <typeparam name="T">What travels: a line, or an array of lines.</typeparam>
internal sealed class ChannelChain<T>
{
    private readonly List<Channel<T>> _channels = [];

    /// <summary>Starts the stages, the last of which consumes.</summary>
    public ChannelChain(int capacity, params ReadOnlySpan<Stage> stages)
    {
        var options = new BoundedChannelOptions(capacity) { SingleReader = true, SingleWriter = true };
        foreach (Stage _ in stages)
        {
            _channels.Add(Channel.CreateBounded<T>(options));
        }

        var tasks = new Task[stages.Length];
        for (int at = 0; at < stages.Length; at++)
        {
            Channel<T> input = _channels[at];
            Channel<T>? output = at + 1 < stages.Length ? _channels[at + 1] : null;
            Stage stage = stages[at];
            int place = at + 1;
            tasks[at] = Task.Run(() =>
            {
                Placement.StartApart(place);
                return RunAsync(input, output, stage);
            });
        }

        Completion = Task.WhenAll(tasks);
    }

    /// <summary>What a stage does with an item.</summary>
    public delegate void Stage(ref T item);

    /// <summary>Ends when every stage has; fails when one has.</summary>
    public Task Completion { get; }

    /// <summary>Hands an item to the first stage, waiting for room.</summary>
    public ValueTask WriteAsync(T item) =>
        _channels[0].Writer.TryWrite(item) ? default : WaitAndWriteAsync(_channels[0], item);

    /// <summary>Says that no item follows.</summary>
    public void Complete() => _channels[0].Writer.TryComplete();

    private async Task RunAsync(Channel<T> input, Channel<T>? output, Stage stage)
    {
        try
        {
            while (await input.Reader.WaitToReadAsync())
            {
                while (input.Reader.TryRead(out T? item))
                {
                    stage(ref item);
                    if (output is not null && !output.Writer.TryWrite(item))
                    {
                        await WaitAndWriteAsync(output, item);
                    }
                }
            }

            output?.Writer.Complete();
        }
        catch (Exception error)
        {
            // All must hear of it: those before would wait for room, those after for lines, for ever.
            _channels.ForEach(channel => channel.Writer.TryComplete(error));
            throw;
        }
    }

    private static async ValueTask WaitAndWriteAsync(Channel<T> channel, T item)
    {
        do
        {
            await channel.Writer.WaitToWriteAsync();
        }
        while (!channel.Writer.TryWrite(item));
    }
}
