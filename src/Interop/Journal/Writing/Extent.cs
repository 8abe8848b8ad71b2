namespace Raceway.Interop.Journal.Writing;

/// <summary>How far a journal has come: items (the sequence behind the last), ring positions of them, and bytes of the segment.</summary>
internal readonly record struct Extent(long Items, long Ring, long Offset);
