using System.Buffers;
using System.Text;

namespace Raceway.Logging.Tests;

/// <summary>What formatters write is what stands in the file, as UTF-8, and never longer than the longest entry.</summary>
public sealed class EntryWriterTests : IDisposable
{
    private readonly TempFolder _folder = new();

    public void Dispose() => _folder.Dispose();

    [Fact]
    public void Write_ByAllWays_IsTheirText() => Assert.Equal("a bcü€😀 42 x\n", Written(static writer =>
    {
        writer.Write('a');
        writer.Write(' ');
        writer.Write("bc");
        writer.Write("xü€x".ToCharArray(), 1, 2);
        // A pair that comes in two calls.
        writer.Write('\uD83D');
        writer.Write("\uDE00 ");
        writer.Write(42);
        writer.WriteUtf8(" "u8);
        "x"u8.CopyTo(writer.GetSpan(1));
        writer.Advance(1);
        writer.Write('\n');
    }));

    [Fact]
    public void Write_HalfAPair_IsTheReplacementCharacter() => Assert.Equal("\uFFFDa\uFFFDb\uFFFD", Written(static writer =>
    {
        writer.Write('\uD83D');
        writer.Write("a\uDE00b");
        writer.Write('\uD83D');
    }));

    [Fact]
    public void Write_RandomTextInRandomPieces_IsTheSameAsWhole()
    {
        var random = new Random(20261124);
        for (int round = 0; round < 200; round++)
        {
            string text = string.Concat(Enumerable.Range(0, random.Next(60)).Select(_ => random.Next(5) switch
            {
                0 => "😀",
                1 => "ß",
                2 => "€",
                _ => ((char)random.Next('a', 'z')).ToString(),
            }));
            Assert.Equal(text, Written(writer =>
            {
                for (int at = 0; at < text.Length;)
                {
                    int count = random.Next(1, text.Length - at + 1);
                    writer.Write(text.AsSpan(at, count));
                    at += count;
                }
            }));
        }
    }

    [Theory]
    [InlineData("a")]
    [InlineData("ü")]
    [InlineData("€")]
    [InlineData("😀")]
    public void Write_TooLong_IsCutBetweenCharacters(string character)
    {
        string all = string.Concat(Enumerable.Repeat(character, 1000));
        string written = Written(writer => writer.WriteLine(all), out LogFileStatistics done);

        Assert.EndsWith(" [cut]\n", written, StringComparison.Ordinal);
        Assert.StartsWith(written[..^" [cut]\n".Length], all, StringComparison.Ordinal);
        Assert.InRange(Encoding.UTF8.GetByteCount(written), 256 - 4, 256);
        Assert.Equal((1, 1), (done.Entries, done.Cut));
    }

    [Fact]
    public void Write_AsLongAsItMayBe_IsWhole()
    {
        string written = Written(static writer => writer.Write(new string('a', 256)), out LogFileStatistics done);

        Assert.Equal(256, written.Length);
        Assert.Equal(0, done.Cut);
    }

    [Fact]
    public void Advance_FarBeyondTheEnd_IsCut()
    {
        string written = Written(static writer =>
        {
            writer.GetSpan(5000)[..5000].Fill((byte)'a');
            writer.Advance(5000);
        });

        Assert.Equal(256, written.Length);
        Assert.EndsWith("a [cut]\n", written, StringComparison.Ordinal);
    }

    [Fact]
    public void Advance_BeyondTheBuffer_IsRefused()
    {
        using var file = new LogFile(_folder.File());
        Assert.Throws<ArgumentOutOfRangeException>(() => file.Write(LogLevel.Information, 0, static (_, writer) => writer.Advance(1 << 20)));
        Assert.Throws<ArgumentOutOfRangeException>(() => file.Write(LogLevel.Information, 0, static (_, writer) => writer.Advance(-1)));
    }

    [Fact]
    public void WriteTimestamp_IsTheTimeOfTheEntry()
    {
        var time = new VirtualTime();
        time.Advance(TimeSpan.FromDays(365.25) + TimeSpan.FromMilliseconds(7));
        using (var file = new LogFile(_folder.File(), new LogFileOptions { Time = time }))
        {
            for (int i = 0; i < 3; i++)
            {
                file.Write(LogLevel.Information, 0, static (_, writer) =>
                {
                    writer.WriteTimestamp();
                    writer.WriteLine();
                });
                time.Advance(TimeSpan.FromMilliseconds(999));
            }
        }

        Assert.Equal(["1971-01-01 06:00:00.007Z", "1971-01-01 06:00:01.006Z", "1971-01-01 06:00:02.005Z"], _folder.Lines());
    }

    [Fact]
    public void WriteTimestamp_InLocalTime_HasItsOffset()
    {
        using (var file = new LogFile(_folder.File(), new LogFileOptions { Time = new India(), LocalTime = true }))
            file.Write(LogLevel.Information, 0, static (_, writer) => writer.WriteTimestamp());

        Assert.Equal(["1970-01-01 05:30:00.000 +05:30"], _folder.Lines());
    }

    private string Written(Action<EntryWriter> write) => Written(write, out _);

    private string Written(Action<EntryWriter> write, out LogFileStatistics done)
    {
        string name = $"{Guid.NewGuid():n}.log";
        var file = new LogFile(_folder.File(name), new LogFileOptions { MaxEntryBytes = 256 });
        file.Write(LogLevel.Information, write, static (write, writer) => write(writer));
        file.Dispose();
        done = file.GetStatistics();
        return File.ReadAllText(_folder.File(name));
    }

    private sealed class India : VirtualTime
    {
        public override TimeZoneInfo LocalTimeZone { get; } = TimeZoneInfo.CreateCustomTimeZone("here", TimeSpan.FromHours(5.5), "here", "here");
    }
}
