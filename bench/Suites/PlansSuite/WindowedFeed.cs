using Raceway.Rings;

namespace Raceway.Suites.PlansSuite;

/// <summary>What a slot is filled with.</summary>
/// <typeparam name="T">The item type.</typeparam>
internal interface IFiller<T>
{
    /// <summary>Writes item <paramref name="index"/> of the round.</summary>
    void Fill(ref T slot, long index);
}

/// <summary>Publishes the items of a round, with no more of them under way than are asked for.</summary>
/// <typeparam name="T">The item type.</typeparam>
/// <typeparam name="TFiller">What they hold; a struct.</typeparam>
internal readonly struct WindowedFeed<T, TFiller>(SingleProducer<T> producer, Arrived arrived, TFiller filler)
    where TFiller : struct, IFiller<T>
{
    // Often enough that the stages begin early, seldom enough that a claim costs nothing.
    private const int MostAtOnce = 256;

    /// <summary>Publishes <paramref name="items"/>, and returns when the last of them has arrived.</summary>
    /// <param name="items">How many.</param>
    /// <param name="window">The most under way; <see langword="null"/> where only the ring limits them.</param>
    /// <param name="cancellation">Ends it early.</param>
    public void Run(long items, int? window, CancellationToken cancellation)
    {
        long begun = arrived.Count;
        var polling = new EvenPolling();
        for (long sent = 0; sent < items && !cancellation.IsCancellationRequested;)
        {
            long room = window is { } limit ? limit - (sent - (arrived.Count - begun)) : MostAtOnce;
            if (room <= 0)
            {
                polling.Pause();
                continue;
            }

            polling.Found();
            int count = (int)Math.Min(Math.Min(room, MostAtOnce), items - sent);
            using Claim<T> claim = producer.Claim(count, cancellation);
            foreach (ref T slot in claim) filler.Fill(ref slot, sent++);
            claim.Commit();
        }

        while (arrived.Count - begun < items && !cancellation.IsCancellationRequested) polling.Pause();
    }
}
