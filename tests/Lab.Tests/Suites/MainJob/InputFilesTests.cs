using Raceway.Suites.MainJob;

namespace Raceway.Lab.Tests.Suites.MainJob;

public sealed class InputFilesTests : IDisposable
{
    private static readonly string[] s_sorted = [".hidden", "B", "a.b", "a/y", "a/z", "b"];
    private readonly TempFolder _folder = new();

    public void Dispose() => _folder.Dispose();

    [Fact]
    public void Resolve_Folder_ListsEveryFileSortedOrdinally()
    {
        foreach (string name in s_sorted.Reverse())
        {
            _folder.Write(name, "x");
        }

        InputSet input = InputFiles.Resolve([_folder.Path]);

        Assert.Equal(
            s_sorted.Select(name => $"{_folder.Path}/{name}"),
            input.Files.Select(file => file.Replace('\\', '/')));
    }

    [Fact]
    public void Resolve_FilesAndFolders_KeepsTheOrderGiven()
    {
        string last = _folder.Write("z", "x");
        string inner = _folder.Write("folder/a", "x");

        Assert.Equal([last, inner], InputFiles.Resolve([last, _folder.File("folder")]).Files);
    }

    [Fact]
    public void Resolve_MissingPath_NamesItAndTheOption()
    {
        InputException error = Assert.Throws<InputException>(() => InputFiles.Resolve([_folder.File("gone")]));

        Assert.Contains(_folder.File("gone"), error.Message, StringComparison.Ordinal);
        Assert.Contains("--input", error.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void Resolve_EmptyFolder_SaysSo()
    {
        InputException error = Assert.Throws<InputException>(() => InputFiles.Resolve([_folder.Path]));

        Assert.Contains("holds no files", error.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void Resolve_LinkToOwnFolder_DoesNotGoRound()
    {
        _folder.Write("a", "x");
        Directory.CreateSymbolicLink(_folder.File("loop"), _folder.Path);

        Assert.Single(InputFiles.Resolve([_folder.Path]).Files, _folder.File("a"));
    }

    [Fact]
    public void Resolve_Device_IsRefused()
    {
        if (!File.Exists("/dev/zero"))
        {
            return; // only systems with devices in the file system can meet this
        }

        InputException error = Assert.Throws<InputException>(() => InputFiles.Resolve(["/dev/zero"]));
        Assert.Contains("device", error.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void Reading_NoPermission_SaysWhatToDo()
    {
        InputException error = InputException.Reading("secret", new UnauthorizedAccessException());

        Assert.Contains("no permission to read 'secret'", error.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void Find_RootWithPack_TakesTheHighestVersion()
    {
        _folder.Write("packs/Microsoft.NETCore.App.Ref/9.0.11/ref/net9.0/Old.xml", "x");
        _folder.Write("packs/Microsoft.NETCore.App.Ref/10.0.2/ref/net10.0/B.xml", "x");
        _folder.Write("packs/Microsoft.NETCore.App.Ref/10.0.2/ref/net10.0/A.xml", "x");
        _folder.Write("packs/Microsoft.NETCore.App.Ref/10.0.2/ref/net10.0/A.dll", "x");

        InputSet input = ReferenceDocs.Find([_folder.File("elsewhere"), _folder.Path], beside: _folder.File("none"));

        Assert.Equal(["A.xml", "B.xml"], input.Files.Select(Path.GetFileName));
        Assert.Empty(input.Notes);
    }

    [Fact]
    public void Find_NoPack_TakesXmlBesideTheToolAndSaysSo()
    {
        _folder.Write("tool/Own.xml", "x");

        InputSet input = ReferenceDocs.Find([_folder.Path], beside: _folder.File("tool"));

        Assert.Equal(["Own.xml"], input.Files.Select(Path.GetFileName));
        Assert.Contains("no SDK here", Assert.Single(input.Notes), StringComparison.Ordinal);
    }

    [Fact]
    public void Find_NothingAtAll_AsksForInput()
    {
        InputException error = Assert.Throws<InputException>(() => ReferenceDocs.Find([], beside: _folder.Path));

        Assert.Contains("--input", error.Message, StringComparison.Ordinal);
    }
}
