//! Archives: files of several objects, read one behind the other.

use crate::EmitError;
use object::archive;
use object::read::archive::ArchiveFile;

/// Reads every object of a file with its name in the archive, which an object by itself has not.
///
/// # Errors
/// Archives that are damaged or only name their objects; what the reader of an object says, with the object's name.
pub fn each_object<'f>(
    file: &'f [u8],
    mut read: impl FnMut(&'f [u8], Option<&str>) -> Result<(), EmitError>,
) -> Result<(), EmitError> {
    if !file.starts_with(&archive::MAGIC) && !file.starts_with(&archive::THIN_MAGIC) {
        return read(file, None);
    }
    let damaged = |e: object::Error| EmitError(format!("the file is a damaged archive: {e}"));
    let all = ArchiveFile::parse(file).map_err(damaged)?;
    if all.is_thin() {
        return Err(EmitError(
            "the file is a thin archive, which only names its objects: give those, or make it without `T`"
                .into(),
        ));
    }
    for member in all.members() {
        let member = member.map_err(damaged)?;
        let name = String::from_utf8_lossy(member.name()).into_owned();
        let data = member.data(file).map_err(damaged)?;
        read(data, Some(&name)).map_err(|EmitError(e)| EmitError(format!("its member {name}: {e}")))?;
    }
    Ok(())
}
