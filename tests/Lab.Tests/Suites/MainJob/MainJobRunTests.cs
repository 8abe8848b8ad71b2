using System.Security.Cryptography;
using System.Text;
using Raceway.Lab.Cli;
using Raceway.Suites.MainJob;

namespace Raceway.Lab.Tests.Suites.MainJob;

public sealed class MainJobRunTests : IDisposable
{
    private readonly TempFolder _folder = new();

    public void Dispose() => _folder.Dispose();

    public static TheoryData<ILineEngine> Engines => [LineEngines.Default(1_024), new ChannelLineEngine(1_024)];

    [Theory]
    [MemberData(nameof(Engines))]
    public void Execute_OddFiles_AgreesWithAnIndependentComputation(ILineEngine engine)
    {
        InputSet input = InputFiles.Resolve([_folder.WriteOddFiles()]);
        foreach (bool hashed in new[] { false, true })
        {
            MainJobResult result = MainJobRun.Execute(input, engine, hashed, withDigests: false, default);

            Assert.True(result.Verify(hashed, default));
            Assert.Equal(input.Files.Sum(file => new FileInfo(file).Length), result.Totals.Bytes);
        }
    }

    [Theory]
    [MemberData(nameof(Engines))]
    public void Execute_WithDigests_GivesTheManifestOfTheFiles(ILineEngine engine)
    {
        InputSet input = InputFiles.Resolve([_folder.WriteOddFiles()]);
        MainJobResult result = MainJobRun.Execute(input, engine, hashed: false, withDigests: true, default);
        using var written = new MemoryStream();

        Manifest.Write(written, input.Files, result.Digests!);

        string expected = string.Concat(input.Files.Select(file =>
            $"{Convert.ToHexStringLower(SHA512.HashData(File.ReadAllBytes(file)))}  {file}\n"));
        Assert.Equal(expected, Encoding.UTF8.GetString(written.ToArray()));
    }

    [Theory]
    [MemberData(nameof(Engines))]
    public void Execute_FileVanishes_FailsWithItsName(ILineEngine engine)
    {
        string there = _folder.Write("there", "a\nb\n");
        var input = new InputSet([there, _folder.File("gone")], "test", []);

        InputException error = Assert.Throws<InputException>(
            () => MainJobRun.Execute(input, engine, hashed: true, withDigests: true, default));
        Assert.Contains("gone", error.Message, StringComparison.Ordinal);
    }

    [Theory]
    [MemberData(nameof(Engines))]
    public void Execute_Cancelled_Throws(ILineEngine engine)
    {
        InputSet input = InputFiles.Resolve([_folder.WriteOddFiles()]);

        Assert.ThrowsAny<OperationCanceledException>(
            () => MainJobRun.Execute(input, engine, hashed: false, withDigests: false, new CancellationToken(canceled: true)));
    }

    [Theory]
    [MemberData(nameof(Engines))]
    public void Execute_MoreBytesThanTheBudget_DoesNotStopForEver(ILineEngine engine)
    {
        byte[] content = new byte[80 << 20]; // of 64
        for (int end = 5 << 20; end <= content.Length; end += 5 << 20)
        {
            content[end - 1] = (byte)'\n';
        }

        InputSet input = InputFiles.Resolve([_folder.Write("wide", content)]);

        Assert.Equal(16, MainJobRun.Execute(input, engine, hashed: false, withDigests: false, default).Totals.Lines);
    }

    [Theory]
    [InlineData("plain name", "  plain name\n")]
    [InlineData("back\\slash", "  back\\\\slash\n")]
    [InlineData("new\nline", "  new\\nline\n")]
    [InlineData("carriage\rreturn", "  carriage\\rreturn\n")]
    [InlineData("prüfung", "  prüfung\n")]
    public void Write_OddNames_EscapesAsSha512sumDoes(string name, string ending)
    {
        using var digests = new FileDigests(1);
        digests.Complete();
        using var written = new MemoryStream();

        Manifest.Write(written, [name], digests);

        string escape = ending.Contains('\\', StringComparison.Ordinal) ? "\\" : "";
        string empty = Convert.ToHexStringLower(SHA512.HashData([]));
        Assert.Equal(escape + empty + ending, Encoding.UTF8.GetString(written.ToArray()));
    }

    [Fact]
    public void Verify_FileGrewSince_LooksOnlyAtWhatWasMet()
    {
        string path = _folder.Write("file", "a\nb");
        MainJobResult result = MainJobRun.Execute(
            InputFiles.Resolve([path]), LineEngines.Default(1_024), hashed: true, withDigests: false, default);
        File.AppendAllText(path, "c\nd\n");

        Assert.True(result.Verify(hashed: true, default));
    }
}
