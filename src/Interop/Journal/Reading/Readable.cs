using Raceway.Interop.Journal.Files;

namespace Raceway.Interop.Journal.Reading;

/// <summary>Whether a codec reads all that a journal holds.</summary>
internal static class Readable
{
    /// <exception cref="JournalException">A segment has a schema that it does not read.</exception>
    public static void Check<T>(JournalFiles files, IJournalCodec<T> codec)
    {
        foreach (SegmentFile segment in SegmentFiles.Find(files))
        {
            if (!codec.CanRead(segment.Header.Schema))
                throw JournalErrors.Schema(segment.Name, segment.Header.Schema, codec.Schema, codec.GetType());
        }
    }
}
