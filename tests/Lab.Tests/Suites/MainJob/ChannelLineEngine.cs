using System.Threading.Channels;
using Raceway.Suites.MainJob;

namespace Raceway.Lab.Tests.Suites.MainJob;

/// <summary>The main job on Channels: a second way to the same result, to check ours against.</summary>
/// <param name="capacity">Lines that each channel holds.</param>
internal sealed class ChannelLineEngine(int capacity) : ILineEngine
{
    /// <inheritdoc/>
    public string Name => "channel";

    /// <inheritdoc/>
    public void Run<TItem>(LineReader reader, LineTotals totals, CancellationToken cancellation)
        where TItem : struct, ILineItem<TItem>
    {
        ChannelChain<TItem> chain = ChannelLines<TItem>.Chain(capacity, totals);

        // A stage that fails gives no chunks back, so a reader that waits for them must be woken.
        Task woken = chain.Completion.ContinueWith(
            _ => reader.Abort(), CancellationToken.None, TaskContinuationOptions.None, TaskScheduler.Default);
        try
        {
            PublishAsync(reader, chain, cancellation).GetAwaiter().GetResult();
        }
        catch (Exception error) when (error is ChannelClosedException || chain.Completion.IsFaulted)
        {
            // The stage's own error, thrown below, is the cause of this one.
        }
        finally
        {
            chain.Complete();
            woken.GetAwaiter().GetResult();
        }

        chain.Completion.GetAwaiter().GetResult();
    }

    private static async Task PublishAsync<TItem>(
        LineReader reader, ChannelChain<TItem> chain, CancellationToken cancellation)
        where TItem : struct, ILineItem<TItem>
    {
        var lines = new Line[256];
        for (int read; (read = reader.Read(lines)) > 0;)
        {
            cancellation.ThrowIfCancellationRequested();
            for (int i = 0; i < read; i++)
            {
                TItem item = default;
                TItem.LineOf(ref item) = lines[i];
                await chain.WriteAsync(item);
            }
        }
    }
}
