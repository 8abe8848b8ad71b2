namespace Raceway.Interop.Distributed;

/// <summary>What a source has received.</summary>
/// <param name="Frames">Delivered.</param>
/// <param name="Items">Published.</param>
/// <param name="Duplicates">Items dropped, as their stream had brought them before.</param>
/// <param name="Redelivered">Frames that the broker had delivered before.</param>
/// <param name="Gaps">Frames that came without those before them.</param>
/// <param name="Parked">Frames put aside.</param>
/// <param name="Sessions">Connections so far.</param>
/// <param name="Unacknowledged">Frames that are not acknowledged now.</param>
/// <param name="MostUnacknowledged">The most there ever were.</param>
public readonly record struct LinkSourceStatistics(
    long Frames, long Items, long Duplicates, long Redelivered, long Gaps, long Parked, long Sessions, int Unacknowledged,
    int MostUnacknowledged);
