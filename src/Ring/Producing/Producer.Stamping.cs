namespace Raceway.Rings;

/// <content>Stamps of several items, written one after another and seen by a seal together.</content>
public abstract partial class Producer<T>
{
    private int _committing;

    /// <summary>Whether several stamps are just being written.</summary>
    internal bool IsCommitting => Volatile.Read(ref _committing) != 0;

    /// <summary>Stamps a claim of several, so that a seal finds all of it or nothing.</summary>
    /// <returns>False where the ring was sealed before: then nothing is stamped.</returns>
    private protected bool StampTogether(Availability stamps, long first, int count, int published)
    {
        if (IsDisposed) return StampForgotten(stamps, first, count, published);
        // ORDER: announce, then look; pairs with the process-wide barrier of Ring.Seal: either this sees the seal, or the seal
        // waits for the end of this.
        Volatile.Write(ref _committing, 1);
        bool open = !Ring.Sequencer.Cursor.IsReleased;
        if (open) Stamp(stamps, first, count, published);
        Volatile.Write(ref _committing, 0);
        return open;
    }

    // By itself: a closure is made where the method begins.
    private bool StampForgotten(Availability stamps, long first, int count, int published) =>
        Ring.UnlessSealed(() => Stamp(stamps, first, count, published));

    private static void Stamp(Availability stamps, long first, int count, int published)
    {
        if (published > 0) stamps.Publish(first, first + published - 1);
        if (published < count) stamps.Bury(first + published, first + count - 1);
    }
}
