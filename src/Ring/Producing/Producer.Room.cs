namespace Raceway.Rings;

/// <content>Room, for a stage that publishes what it is given and must not wait.</content>
public abstract partial class Producer<T>
{
    /// <summary>Whether <paramref name="count"/> slots are free for this producer; where not, what to wait for.</summary>
    internal bool HasRoom(int count, out Progress cell, out long awaited)
    {
        bool free = Reserve(count, out long last);
        (cell, awaited) = RoomTarget(last);
        return free;
    }
}
