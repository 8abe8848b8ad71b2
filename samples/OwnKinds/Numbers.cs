using System.Globalization;
using System.Text;
using Raceway.Pipelines;
using Raceway.Rings;

/// <summary>A source and a sink: the numbers of a text, a line each.</summary>
internal static class Numbers
{
    /// <summary>Brings what the text holds into the pipeline, and says its end, or what it has failed with.</summary>
    public static async Task ReadAsync(TextReader text, Pipeline<long> pipeline, CancellationToken cancellation)
    {
        try
        {
            // A line that was read cannot be given back: it is published to its end.
            while (await text.ReadLineAsync(cancellation) is { } line)
                await pipeline.Publisher.PublishAsync(long.Parse(line, CultureInfo.InvariantCulture), CancellationToken.None);
        }
        catch (Exception error) when (error is not OperationCanceledException)
        {
            pipeline.TryComplete(error);
            throw;
        }

        pipeline.TryComplete();
    }

    /// <summary>Writes what the poller gives, with one flush a batch, until the pipeline's end.</summary>
    public static async Task WriteAsync(Poller<long> poller, TextWriter text, CancellationToken cancellation)
    {
        while (WriteBatch(poller, text) is var status and not PollStatus.Ended)
        {
            cancellation.ThrowIfCancellationRequested();
            if (status == PollStatus.Items) await text.FlushAsync(cancellation);
            else await poller.WaitAsync(cancellation);
        }

        // Throws where the pipeline has faulted, or was halted with items inside.
        await poller.Completion;
    }

    private static PollStatus WriteBatch(Poller<long> poller, TextWriter text)
    {
        using PolledBatch<long> batch = poller.Poll(256);
        int done = 0;
        try
        {
            foreach (ref long item in batch)
            {
                text.WriteLine(item);
                done++;
            }
        }
        catch (Exception fault)
        {
            // Those before it are written, and must not come again.
            batch.Items.Complete(done);
            batch.Fail(fault);
        }

        return batch.Status;
    }
}

/// <summary>A text that cannot be read.</summary>
internal sealed class Broken(Exception error) : TextReader
{
    public override ValueTask<string?> ReadLineAsync(CancellationToken cancellationToken) => ValueTask.FromException<string?>(error);
}

/// <summary>A text that tells what is written.</summary>
internal sealed class Told(Action<long> take) : TextWriter
{
    public override Encoding Encoding => Encoding.UTF8;

    public override void WriteLine(long value) => take(value);

    public override Task FlushAsync(CancellationToken cancellationToken) => Task.CompletedTask;
}
